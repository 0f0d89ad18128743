import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import { listRawFields, parseHeaderBlock, readMessageFields, withoutBcc } from '@postern/mail'
import { headerOf, mailboxes, makeFile, makeLetter, making, sha256, textOf } from '../test/build.ts'
import { compose } from './compose.ts'
import { dispatch, fillRecipients } from './dispatch.ts'
import { messageDigest } from './digest.ts'
import { parseRecipients } from './parse-recipients.ts'

const later = { now: new Date('2026-11-19T12:00:00Z'), token: 'Other000000000000000' }

function bodyOf(octets: Uint8Array): Uint8Array {
  return octets.subarray(listRawFields(octets).bodyStart)
}

/** Field lines in order, but for those named. */
function fieldsOf(octets: Uint8Array, ...except: readonly string[]): readonly string[] {
  return listRawFields(octets)
    .fields.filter(({ name }) => !except.includes(name))
    .map(({ start, end }) => textOf(octets.subarray(start, end)))
}

function isFault(code: string) {
  return (error: unknown): boolean => error instanceof Fault && error.code === code
}

// As Thunderbird stores one: folds, fields of its own, an 8-bit body with a bare line feed and no line end at the end.
const foreign = Buffer.concat([
  Buffer.from(
    [
      'Date: Fri, 13 Nov 2026 10:00:00 +0100',
      'Message-ID: <draft-1@home.example>',
      'X-Mozilla-Draft-Info: internal/draft; vcard=0;',
      ' receipt=0; uuencode=0',
      'X-Identity-Key: id1',
      'FCC: imap://owner@home.example/Sent',
      'User-Agent: Mozilla Thunderbird',
      'From: Olga <owner@home.example>',
      'To: Amy <amy@sender.example>,',
      '\t"b, c" <b@x.example>',
      'Bcc: d@x.example',
      'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
      'X-Own: kept',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Body \u20ac \t',
    ].join('\r\n'),
  ),
  Buffer.from('\n.\r\nBcc: in the body'),
])

test('a stored draft goes octet for octet, with Date now and without what is only for drafts (check 154)', async () => {
  const sent = dispatch(foreign, later)
  assert.deepEqual(bodyOf(sent.octets), bodyOf(foreign))
  const own = ['x-mozilla-draft-info', 'x-identity-key', 'fcc']
  assert.deepEqual(fieldsOf(sent.octets, 'date'), fieldsOf(foreign, 'date', ...own))
  assert.match(headerOf(sent.octets), /^Date: Thu, 19 Nov 2026 12:00:00 \+0000\r$/m)
  assert.deepEqual(fieldsOf(withoutBcc(sent.octets), 'date'), fieldsOf(foreign, 'date', 'bcc', ...own))
  assert.equal(sent.rfcMessageId, '<draft-1@home.example>')
  assert.deepEqual(sent.envelope, {
    from: 'owner@home.example',
    to: ['amy@sender.example', 'b@x.example', 'd@x.example'],
  })
  assert.equal(sent.needsUtf8, false)
})

test('a draft of ours goes with its file, and its digest is the same until something else changes (check 154)', async () => {
  const draft = await compose(
    makeLetter({ html: '<p>x</p>', files: [makeFile()], bcc: mailboxes('b@x.example') }),
    making(),
  )
  const sent = dispatch(draft.octets, later)
  assert.equal(sha256(bodyOf(sent.octets)), sha256(bodyOf(draft.octets)))
  assert.equal(sent.rfcMessageId, draft.rfcMessageId)
  assert.equal(sent.sha256, draft.sha256)
  assert.equal(sent.sha256, messageDigest(sent.octets))
  assert.deepEqual(sent.envelope, draft.envelope)
})

test('a Message-ID is added where there is none that could be looked for (check 154)', () => {
  for (const id of ['', 'Message-ID: none\r\n', 'Message-ID: <a b@c>\r\n']) {
    const { octets, rfcMessageId } = dispatch(
      Buffer.from(`From: owner@home.example\r\n${id}To: a@x.example\r\n\r\nx`),
      later,
    )
    assert.equal(rfcMessageId, '<Other000000000000000@home.example>')
    assert.equal(readMessageFields(parseHeaderBlock(octets).fields).rfcMessageId, rfcMessageId)
    assert.equal(textOf(octets).match(/^message-id/gim)?.length, 1)
  }
})

test('a draft without recipients is not sent, and given ones fill it, in its header alone (check 158)', () => {
  const stored = Buffer.from('From: owner@home.example\r\nTo: \r\nBCC:\r\nSubject: x\r\n\r\nbody\n')
  assert.throws(() => dispatch(stored, later), isFault('draft_no_recipients'))
  const given = parseRecipients({ to: ['Amy <a@x.example>'], cc: [], bcc: ['b@x.example'] })
  assert.equal(fillRecipients(parseRecipients({ to: [], cc: [], bcc: [] }), given), 'fill')
  const { octets, envelope } = dispatch(stored, later, given)
  assert.deepEqual(envelope.to, ['a@x.example', 'b@x.example'])
  assert.deepEqual(bodyOf(octets), bodyOf(stored))
  assert.equal(textOf(octets).match(/^to:/gim)?.length, 1)
  assert.doesNotMatch(textOf(withoutBcc(octets)), /b@x\.example|bcc/i)
})

test('recipients that repeat the stored ones are taken, others are refused naming update (check 158)', () => {
  const stored = parseRecipients({ to: ['a@x.example', 'b@x.example'], cc: ['c@x.example'], bcc: [] })
  const same = parseRecipients({ to: ['B@x.example', 'Amy <A@X.example>'], cc: [], bcc: [] })
  assert.equal(fillRecipients(stored, same), 'same')
  for (const given of [
    { to: ['a@x.example'], cc: [], bcc: [] },
    { to: [], cc: [], bcc: ['d@x.example'] },
  ])
    assert.throws(
      () => fillRecipients(stored, parseRecipients(given)),
      (error) =>
        isFault('argument_not_allowed')(error) && error instanceof Fault && /update/.test(error.public),
    )
})

test('a stored recipient is parsed as strictly as any, and two senders or none are refused (check 127)', () => {
  const head = (from: string, to: string): Uint8Array => Buffer.from(`From: ${from}\r\nTo: ${to}\r\n\r\nx`)
  assert.throws(
    () => dispatch(head('o@home.example', '"x@gmail.com x"@internal.example'), later),
    isFault('recipient_invalid'),
  )
  assert.throws(
    () => dispatch(head('o@home.example', 'a@x.example, bob'), later),
    isFault('recipient_invalid'),
  )
  assert.throws(
    () => dispatch(head('o@home.example, p@home.example', 'a@x.example'), later),
    isFault('sender_not_allowed'),
  )
  assert.throws(() => dispatch(head('nobody', 'a@x.example'), later), isFault('sender_not_allowed'))
})

test('a header that readers could take apart in two ways is not sent (check 126)', () => {
  for (const line of [
    'Subject: a\rBcc: x@y.example',
    'stray',
    'Subject: a\0b',
    'Subject: a\vBcc: x@y.example',
    'Bcc: a@x.example,\r\nb@x.example',
  ]) {
    const stored = Buffer.from(`From: o@home.example\r\n${line}\r\nTo: a@x.example\r\n\r\nx`)
    assert.throws(() => dispatch(stored, later), isFault('invalid_arguments'), line)
  }
})

test('a header that ends before its blank line, or is too long to be judged, is not sent (check 126)', () => {
  const head = 'From: o@home.example\r\nTo: a@x.example\r\n'
  for (const [what, rest] of [
    ['a name with an odd blank', 'Bcc\u00a0: x@y.example\r\n'],
    ['a name on a line of its own', 'Bcc\r\n : x@y.example\r\n'],
    ['a name with NUL', 'B\0cc: x@y.example\r\n'],
    ['more fields than are read', `${'X:\r\n'.repeat(10_001)}Cc: x@y.example\r\n`],
    ['more octets than are read', `X: ${'y\r\n '.repeat(80_000)}\r\nCc: x@y.example\r\n`],
  ] as const) {
    const stored = Buffer.from(`${head}${rest}\r\nbody`)
    assert.throws(() => dispatch(stored, later), isFault('invalid_arguments'), what)
  }
})

test('of two From fields none is sent, and what tells of an earlier journey stays behind (check 144)', () => {
  const own = 'From: o@home.example\r\nTo: a@x.example\r\n'
  for (const head of [`${own}From: boss@big.example\r\n`, `From: o@home.example\r\n${own}`])
    assert.throws(() => dispatch(Buffer.from(`${head}\r\nbody`), later), isFault('sender_not_allowed'))
  const resent = 'Resent-From: b@big.example\r\nResent-To: c@x.example\r\nReturn-Path: <b@big.example>\r\n'
  const { octets } = dispatch(Buffer.from(`${resent}${own}\r\nbody`), later)
  assert.deepEqual(fieldsOf(octets, 'date', 'message-id').join(''), own)
})

test('a header that ends with the message becomes a whole one', () => {
  for (const end of ['', '\r\n', '\r\n\r\n']) {
    const { octets } = dispatch(Buffer.from(`From: o@home.example\r\nTo: a@x.example${end}`), later)
    assert.match(textOf(octets), /\r\nTo: a@x\.example\r\n\r\n$/)
  }
})
