import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHeld, type HeldDescription } from './describe-held.ts'

const describe = (lines: readonly string[]): Promise<HeldDescription> =>
  describeHeld({
    message: {
      octets: Buffer.from(lines.join('\r\n')),
      envelope: { from: 'owner@home.example', to: ['amy@sender.example', 'eve@else.example'] },
      rfcMessageId: '<1@home.example>',
      sha256: '00',
      needsUtf8: false,
    },
    draft: null,
    participants: [],
  })

const head = [
  'From: Olga Owner <owner@home.example>',
  'To: amy@sender.example',
  'Bcc: eve@else.example',
  'Subject: Lunch',
  'MIME-Version: 1.0',
]
const alternative = (text: string, html: string): string[] => [
  ...head,
  'Content-Type: multipart/alternative; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  '',
  text,
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  html,
  '--b--',
]

test('check 19: whoever decides sees everyone it goes to, and both texts with the whole of every link where they differ', async () => {
  const told = await describe(
    alternative(
      'At noon?',
      '<p>Pay at <a href="https://bank.example/pay?to=eve">https://shop.example</a></p>',
    ),
  )
  assert.deepEqual(told.recipients, { to: ['amy@sender.example'], cc: [], bcc: ['eve@else.example'] })
  assert.match(told.text, /At noon\?/)
  assert.match(told.htmlText ?? '', /https:\/\/bank\.example\/pay\?to=eve/)
})

test('check 19: two forms of one text are shown once', async () => {
  const told = await describe(alternative('At noon, then?', '<p>At <b>noon</b>, then?</p>'))
  assert.equal(told.htmlText, null)
})

test('check 19: files are named with type and size', async () => {
  const lines = [
    ...head,
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the file.',
    '--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename=list.csv',
    '',
    'x;1',
    '--b--',
  ]
  const { files } = await describe(lines)
  assert.deepEqual(
    files.map(({ filename, mimeType, sizeBytes }) => [filename, mimeType, sizeBytes]),
    [['list.csv', 'text/csv', 3]],
  )
})
