import assert from 'node:assert/strict'
import test from 'node:test'
import { findQuotedHistory, rawText } from '@postern/mail'
import { mailbox, mailboxes, makeLetter, makeOriginal, making, readIndependently } from '../test/build.ts'
import { compose } from './compose.ts'
import { maxQuotedChars } from './quote.ts'
import { reply, type ReplyInit } from './reply.ts'
import { forwardSubject, replySubject } from './subject.ts'

function init(parts: Partial<ReplyInit> = {}): ReplyInit {
  return {
    own: { text: 'Yes.', html: null },
    from: mailbox('Olga Owner <owner@home.example>'),
    ownAddresses: ['owner@home.example'],
    isReplyAll: false,
    cc: [],
    bcc: [],
    replyTo: null,
    subject: null,
    signature: null,
    files: [],
    timezone: 'Europe/Berlin',
    ...parts,
  }
}

test('an answer keeps the chain of its parent, in brackets, and its subject has one Re (check 130)', async () => {
  const original = makeOriginal({
    Subject: 'Re: AW: re[2]: Plans',
    References: '<a@x.example>\r\n <b@x.example> not-an-id <c@x.example>',
    'In-Reply-To': '<c@x.example>',
  })
  const { letter } = reply(original, init())
  const { octets } = await compose(letter, making())
  const read = await readIndependently(octets)
  assert.equal(read.inReplyTo, '<m1@sender.example>')
  assert.equal(
    read.references?.replace(/\s+/g, ' '),
    '<a@x.example> <b@x.example> <c@x.example> <m1@sender.example>',
  )
  assert.equal(read.subject, 'Re: Plans')
  assert.deepEqual(
    read.to?.map(({ address }) => address),
    ['amy@sender.example'],
  )
})

test('a parent without References is reached through its In-Reply-To, and one without an id is not named', () => {
  assert.deepEqual(reply(makeOriginal({ 'In-Reply-To': '<p@x.example>' }), init()).letter.references, [
    '<p@x.example>',
    '<m1@sender.example>',
  ])
  const nameless = reply(makeOriginal({ 'Message-ID': 'none', References: '<a@x.example>' }), init()).letter
  assert.equal(nameless.inReplyTo, null)
  assert.deepEqual(nameless.references, ['<a@x.example>'])
})

test('a chain of thousands is kept within bounds, its beginning and its end', async () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `<${index}@x.example>`)
  const { letter } = reply(makeOriginal({ References: ids.join(' ') }), init())
  assert.ok(letter.references.length < 100)
  assert.equal(letter.references[0], '<0@x.example>')
  assert.deepEqual(letter.references.slice(-2), ['<4999@x.example>', '<m1@sender.example>'])
  assert.equal(
    (await readIndependently((await compose(letter, making())).octets)).inReplyTo,
    '<m1@sender.example>',
  )
})

test('cc, bcc and a subject that the caller gives are honoured (check 134)', () => {
  const { letter } = reply(
    makeOriginal({ Cc: 'c@x.example' }),
    init({
      isReplyAll: true,
      cc: mailboxes('d@x.example', 'AMY@sender.example', 'c@x.example'),
      bcc: mailboxes('e@x.example'),
      subject: 'Another',
    }),
  )
  assert.equal(letter.subject, 'Another')
  assert.deepEqual(
    [letter.to, letter.cc, letter.bcc].map((list) => list.map(({ email }) => email).join(' ')),
    ['amy@sender.example', 'c@x.example d@x.example', 'e@x.example'],
  )
})

test('an answer in HTML quotes in a blockquote, one in text with marks (check 135)', () => {
  const original = makeOriginal({}, { text: 'Shall we?\n> older\n\nAmy', html: '<p>Shall <b>we</b>?</p>' })
  const both = reply(original, init({ own: { text: 'Yes.', html: '<p>Yes.</p>' } })).letter
  assert.match(
    both.html ?? '',
    /^<p>Yes\.<\/p>.*<blockquote type="cite"[^>]*><p>Shall <b>we<\/b>\?<\/p><\/blockquote>$/,
  )
  assert.doesNotMatch(both.html ?? '', /&gt; Shall/)
  assert.equal(
    both.text,
    'Yes.\n\nOn Mon, 16 Nov 2026, 09:00 GMT+1, Amy Sender <amy@sender.example> wrote:\n> Shall we?\n>> older\n>\n> Amy',
  )
  const plain = reply(original, init()).letter
  assert.equal(plain.html, null)
  assert.equal(plain.text, both.text)
})

test('the HTML form stands within the document that was written, which is else not touched', () => {
  const html = '<!DOCTYPE html><html><head><style>p{x:y}</style></head><body class=a><P>Yes</P></BODY></html>'
  const { letter } = reply(makeOriginal(), init({ own: { text: 'Yes', html } }))
  assert.ok(letter.html?.startsWith(html.slice(0, html.indexOf('</BODY>'))))
  assert.ok(letter.html?.endsWith('</blockquote></BODY></html>'))
})

test('own text comes first, then the signature, then the quote, in both forms', () => {
  const { letter } = reply(
    makeOriginal({}, { text: 'Old' }),
    init({ own: { text: 'New\n', html: '<p>New</p>' }, signature: { text: 'Olga', html: '<i>Olga</i>' } }),
  )
  assert.match(letter.text, /^New\n\n-- \nOlga\n\nOn [^\n]+ wrote:\n> Old$/)
  assert.match(letter.html ?? '', /^<p>New<\/p>.*<i>Olga<\/i><\/div>.*<blockquote.*Old.*<\/blockquote>$/s)
})

test('what Postern quotes it reads as history again', () => {
  const { letter } = reply(
    makeOriginal({}, { text: 'Old\n\nlines' }),
    init({ own: { text: 'New', html: null } }),
  )
  assert.equal(findQuotedHistory(letter.text), 'New\n\n'.length)
})

test('a message of two megabytes does not become an answer of ten', async () => {
  const original = makeOriginal(
    {},
    { text: 'a\n'.repeat(1_000_000), html: `<p>${'b'.repeat(2_000_000)}</p>` },
  )
  const { letter } = reply(original, init({ own: { text: 'Yes', html: '<p>Yes</p>' } }))
  assert.ok(letter.text.length < 2.1 * maxQuotedChars + 1_000)
  assert.match(letter.text, /\n> \[The rest of the quoted message is left out here\.\]$/)
  const { octets } = await compose(letter, making())
  assert.ok(octets.length < 3_000_000, String(octets.length))
})

test("a stranger's name cannot break out of the line or the markup it is quoted in", () => {
  const name = '=?utf-8?q?=3Cimg_src=3Dx=3E=0A=3E_forged?='
  const { letter } = reply(
    makeOriginal({ From: `${name} <amy@sender.example>` }),
    init({ own: { text: 'Yes', html: 'Yes' } }),
  )
  assert.equal(letter.text.split('\n').length, 4)
  assert.doesNotMatch(letter.html ?? '', /<img/)
})

test('markers of answering and forwarding in many languages count once, others stay', () => {
  const reSubjects = {
    Plans: 'Re: Plans',
    'RE: Plans': 'Re: Plans',
    'Re:Re: SV: Antw: Plans': 'Re: Plans',
    'Re^2: Plans': 'Re: Plans',
    'Re (3): Plans': 'Re: Plans',
    '\u56de\u590d\uff1aPlans': 'Re: Plans',
    'Fwd: Re: Plans': 'Re: Fwd: Re: Plans',
    'Regarding: Plans': 'Re: Regarding: Plans',
    Reply: 'Re: Reply',
    '': 'Re:',
    'Re: ': 'Re:',
  }
  for (const [given, expected] of Object.entries(reSubjects))
    assert.equal(replySubject(rawText(given)), expected)
  assert.equal(forwardSubject(rawText('WG: Fwd: FW: Plans')), 'Fwd: Plans')
  assert.equal(forwardSubject(rawText('Re: Plans')), 'Fwd: Re: Plans')
})

test('a derived subject is one line of at most 989 characters, and no emoji is cut', async () => {
  const subject = replySubject(rawText(`a\r\nBcc: x@y.example ${'\u{1f600}'.repeat(2_000)}`))
  assert.ok(subject.length <= 989 && subject.length > 900)
  assert.ok(subject.isWellFormed() && !/[\r\n]/.test(subject))
  await compose(makeLetter({ subject }), making())
  const started = performance.now()
  replySubject(rawText('Re: '.repeat(1_000_000)))
  assert.ok(performance.now() - started < 1_000)
})
