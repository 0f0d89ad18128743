import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMessageFields } from './message-fields.ts'
import { parseMime } from './parse-mime.ts'

function read(text: string): ReturnType<typeof readMessageFields> {
  const { headers, tree } = parseMime(Buffer.from(text, 'latin1'))
  return readMessageFields(headers, tree)
}

test('recipients are gathered from several fields of one name, the topmost From counts', () => {
  const { from, to, cc } = read('From: a@x\nTo: b@x\nFrom: z@x\nTo: c@x, d@x\nCc: e@x\n\n')
  const emails = [from, to, cc].map((list) => list.map(({ email }) => email))
  assert.deepEqual(emails, [['a@x'], ['b@x', 'c@x', 'd@x'], ['e@x']])
})

test('check 92: a raw subject of a multipart is of the charset that its text declares', () => {
  const part = '--b\nContent-Type: text/plain; charset=koi8-r\n\nx\n--b--\n'
  const { subject } = read(`Subject: \xf0\xd2\nContent-Type: multipart/mixed; boundary=b\n\n${part}`)
  assert.equal(subject, '\u041f\u0440')
})

test('fields that are not there are empty', () => {
  const fields = read('\n')
  assert.deepEqual(fields, {
    from: [],
    sender: null,
    replyTo: [],
    to: [],
    cc: [],
    bcc: [],
    subject: '',
    date: null,
    rfcMessageId: null,
  })
})
