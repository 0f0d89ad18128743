import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import { readMailFixture } from '@postern/fixtures'
import { parseMime, rawText, type CleanText, type Part } from '@postern/mail'
import {
  mailbox,
  mailboxes,
  makeFile,
  makeOriginal,
  making,
  readIndependently,
  sha256,
} from '../test/build.ts'
import { carryFile, carryFiles } from './carry-file.ts'
import { compose } from './compose.ts'
import { forward, forwardAttached, type ForwardInit } from './forward.ts'
import { requireFilesFit } from './outgoing-file.ts'

function init(parts: Partial<ForwardInit> = {}): ForwardInit {
  return {
    own: { text: 'See below.', html: null },
    from: mailbox('owner@home.example'),
    recipients: { to: mailboxes('new@x.example'), cc: [], bcc: [] },
    replyTo: null,
    signature: null,
    timezone: 'UTC',
    files: [],
    ...parts,
  }
}

test('three files go along with identical octets, pictures in their place (check 136)', async () => {
  const octets = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)
  const sent = await compose(
    {
      ...forward(makeOriginal(), init()),
      html: '<img src="cid:p1@x">',
      files: [
        makeFile({ octets }),
        makeFile({ filename: '\u4f1a\u8b70.txt', mimeType: 'text/plain; charset=utf-8', octets }),
        makeFile({ filename: 'p.png', mimeType: 'image/png', contentId: 'p1@x', isInline: true, octets }),
      ],
    },
    making(),
  )
  const carried = carryFiles(parseMime(sent.octets).tree)
  const again = await compose(
    forward(makeOriginal({}, { html: '<p><img alt="" src="cid:p1@x"></p>' }), init({ files: carried })),
    making(),
  )
  const read = await readIndependently(again.octets)
  const filesRead = new Map(read.attachments.map((file) => [file.filename, file]))
  const names = ['report.pdf', '\u4f1a\u8b70.txt', 'p.png']
  assert.deepEqual(
    names.map((name) => filesRead.get(name)?.mimeType),
    ['application/pdf', 'text/plain', 'image/png'],
  )
  for (const name of names)
    assert.equal(sha256(filesRead.get(name)?.content as ArrayBuffer), sha256(octets), name)
  assert.match(read.html ?? '', /cid:p1@x/)
  assert.equal(filesRead.get('p.png')?.contentId, '<p1@x>')
  assert.equal(filesRead.get('p.png')?.related, true)
  assert.equal(filesRead.size, 3)
})

test('files that do not fit are refused before they are fetched, naming the one (check 136)', () => {
  const mebibyte = 1024 * 1024
  requireFilesFit([{ label: 'attachment_index 0', sizeBytes: 25 * mebibyte }])
  assert.throws(
    () =>
      requireFilesFit([
        { label: 'attachment_index 0', sizeBytes: 20 * mebibyte },
        { label: 'attachment_index 1', sizeBytes: 6 * mebibyte },
      ]),
    (error) =>
      error instanceof Fault &&
      error.code === 'attachment_too_large' &&
      /"attachment_index 1"/.test(error.public) &&
      error.details['limit_bytes'] === 25 * mebibyte,
  )
})

test('as an attachment the original goes octet for octet (check 136)', async () => {
  const { octets } = readMailFixture('encoded-words')
  const letter = forwardAttached(makeOriginal({ Subject: 'a/b: "c"' }), octets, init())
  const { tree } = parseMime((await compose(letter, making())).octets)
  const attached = tree.children.find(({ filename }) => filename === 'a b c.eml')
  assert.equal(sha256(attached?.content ?? ''), sha256(octets))
})

test('a forward says who wrote what is below, and when, to whom, and about what', () => {
  const letter = forward(
    makeOriginal({ Cc: 'c@x.example', Subject: 'Fwd: Plans' }, { text: 'Old\ntext' }),
    init({ signature: { text: 'Olga', html: null } }),
  )
  assert.equal(letter.subject, 'Fwd: Plans')
  assert.equal(
    letter.text,
    [
      'See below.',
      '',
      '-- ',
      'Olga',
      '',
      '---------- Forwarded message ----------',
      'From: Amy Sender <amy@sender.example>',
      'Date: Mon, 16 Nov 2026, 08:00 UTC',
      'Subject: Fwd: Plans',
      'To: owner@home.example',
      'Cc: c@x.example',
      '',
      'Old',
      'text',
    ].join('\n'),
  )
  assert.equal(letter.html, null)
  assert.deepEqual(letter.references, ['<m1@sender.example>'])
  assert.equal(letter.inReplyTo, null)
})

test('the HTML of an original goes along below own text, also where that is text alone', () => {
  const { html } = forward(
    makeOriginal({ Subject: '<img src=x onerror=y>' }, { html: '<p>Old</p>' }),
    init({ own: { text: 'a <b>', html: null } }),
  )
  assert.match(html ?? '', /^<div>a &lt;b&gt;<\/div>.*<p>Old<\/p>/s)
  assert.doesNotMatch(html ?? '', /<img/)
})

test('nothing to say is fine, and an original that is too long is refused, not cut', () => {
  assert.match(forward(makeOriginal(), init({ own: { text: '', html: null } })).text, /^----------/)
  assert.throws(
    () => forward(makeOriginal({}, { text: 'a'.repeat(1_000_001) }), init()),
    (error) =>
      error instanceof Fault && error.code === 'message_too_large' && /as_attachment/.test(error.public),
  )
})

test('the name of a carried file is one line without a path, whatever a stranger called it', () => {
  const part: Part = {
    id: '1',
    type: 'text/csv',
    params: new Map([
      ['charset', 'windows-1252'],
      ['x', 'a\r\nb'],
    ]),
    disposition: 'attachment',
    filename: rawText('../../etc/\u202epass\r\nwd.csv'),
    sizeBytes: 1,
    contentId: 'a b',
    encoding: '7bit',
    content: null,
    children: [],
  }
  assert.deepEqual(carryFile(part, Buffer.from('x'), false), {
    filename: 'pass wd.csv',
    mimeType: 'text/csv; charset=windows-1252',
    contentId: null,
    isInline: false,
    octets: Buffer.from('x'),
  })
})

test('only clean text goes on', () => {
  // @ts-expect-error -- what a stranger wrote is not clean before the sanitiser has seen it
  const text: CleanText = rawText('x')
  assert.equal(text, 'x')
})
