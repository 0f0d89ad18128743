import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import { chooseBody, decodeText, parseMime, readMessageFields, type HeaderField } from '@postern/mail'
import { mailbox, mailboxes, makeFile, makeLetter, makeOriginal, making, sha256 } from '../test/build.ts'
import { compose } from './compose.ts'
import { editDraft, type DraftChange } from './edit-draft.ts'
import type { Letter } from './letter.ts'
import { reply } from './reply.ts'
import type { Signature } from './signature.ts'

const signature: Signature = { text: 'Olga Owner', html: null }
const options = { defaultFrom: mailbox('owner@home.example'), pool: null }

function change(text: string, parts: Partial<DraftChange> = {}): DraftChange {
  return {
    own: { text, html: null },
    subject: null,
    to: null,
    cc: null,
    bcc: null,
    from: null,
    files: null,
    signature: null,
    knownSignatures: [signature],
    ...parts,
  }
}

async function store(letter: Letter): Promise<Uint8Array> {
  return (await compose(letter, making())).octets
}

/** A stored answer with everything a draft can have. */
async function storeReply(html: string | null = null): Promise<Uint8Array> {
  const { letter } = reply(
    makeOriginal({ References: '<a@x.example>' }, { text: 'Old\n\nlines', html: '<p>Old <b>lines</b></p>' }),
    {
      own: { text: 'First', html },
      from: mailbox('Olga <owner@home.example>'),
      ownAddresses: [],
      isReplyAll: false,
      cc: mailboxes('"Doe, Jane" <c@x.example>'),
      bcc: mailboxes('b@x.example'),
      replyTo: mailbox('desk@home.example'),
      subject: null,
      signature,
      files: [makeFile({ octets: Uint8Array.from({ length: 256 }, (_, octet) => octet) })],
      timezone: 'UTC',
    },
  )
  return store(letter)
}

function bodyOf(octets: Uint8Array): string {
  const [first] = chooseBody(parseMime(octets).tree).parts
  return decodeText(first?.part.content ?? new Uint8Array(), 'utf-8').text.replaceAll('\r\n', '\n')
}

function fieldsOf(octets: Uint8Array): readonly HeaderField[] {
  return parseMime(octets).headers.filter(({ name }) => !/^(?:message-id|date|content-type)$/i.test(name))
}

const quote = 'On Mon, 16 Nov 2026, 08:00 UTC, Amy Sender <amy@sender.example> wrote:\n> Old\n>\n> lines'

test('new text leaves thread, recipients, subject, files and quote as they are (check 150)', async () => {
  const stored = await storeReply()
  const { letter, isHtmlDropped } = await editDraft(stored, change('Second'), options)
  const next = await store(letter)
  assert.deepEqual(fieldsOf(next), fieldsOf(stored))
  assert.equal(bodyOf(stored), `First\n\n-- \nOlga Owner\n\n${quote}`)
  assert.equal(bodyOf(next), `Second\n\n${quote}`)
  assert.equal(isHtmlDropped, false)
  const [before, after] = [stored, next].map((octets) => parseMime(octets).tree.children[1]?.content)
  assert.equal(sha256(after ?? ''), sha256(before ?? 'none'))
})

test('text that was read with signature and quote does not get them twice (check 153)', async () => {
  const stored = await storeReply()
  const whole = bodyOf(stored).replace('First', 'Second')
  const signed = change(whole, { signature })
  const second = await store((await editDraft(stored, signed, options)).letter)
  assert.equal(bodyOf(second), `Second\n\n-- \nOlga Owner\n\n${quote}`)
  const third = await store((await editDraft(second, change(bodyOf(second), { signature }), options)).letter)
  assert.equal(bodyOf(third), bodyOf(second))
  const without = await store((await editDraft(third, change(bodyOf(third)), options)).letter)
  assert.equal(bodyOf(without), `Second\n\n${quote}`)
})

test('what is left out is kept, what is given replaces, and an empty list clears (check 149)', async () => {
  const stored = await storeReply()
  const { letter } = await editDraft(
    stored,
    change('x', {
      subject: 'New',
      to: mailboxes('n@x.example'),
      cc: [],
      files: [],
      from: mailbox('alias@home.example'),
    }),
    options,
  )
  assert.deepEqual(
    [letter.to, letter.cc, letter.bcc].map((list) => list.map(({ email }) => email).join(' ')),
    ['n@x.example', '', 'b@x.example'],
  )
  assert.deepEqual([letter.subject, letter.files.length, letter.from.email], ['New', 0, 'alias@home.example'])
  assert.equal(letter.replyTo?.email, 'desk@home.example')
})

test('a stored HTML form of old text goes when no new one is given, and that is told', async () => {
  const { letter, isHtmlDropped } = await editDraft(
    await storeReply('<p>First</p>'),
    change('Second'),
    options,
  )
  assert.equal(letter.html, null)
  assert.equal(isHtmlDropped, true)
})

test('new HTML keeps the HTML quote, once (checks 150 and 153)', async () => {
  const html = (text: string): DraftChange =>
    change(text, { own: { text, html: `<p>${text}</p>` }, signature })
  const second = await editDraft(await storeReply('<p>First</p>'), html('Second'), options)
  const third = await editDraft(await store(second.letter), html('Third'), options)
  assert.equal(third.letter.html, second.letter.html?.replace('Second', 'Third'))
  assert.equal(third.letter.html?.match(/<blockquote/g)?.length, 1)
  assert.match(third.letter.html, /<p>Third<\/p>.*Olga Owner.*<p>Old <b>lines<\/b><\/p><\/blockquote>$/s)
  const fresh = await editDraft(await storeReply(), html('Second'), options)
  assert.match(fresh.letter.html ?? '', /<blockquote[^>]*><div>Old<br>\n<br>\nlines<\/div><\/blockquote>$/)
})

test('marks in the text of a draft that answers nothing are its own text, and go with it', async () => {
  const stored = await store(makeLetter({ text: 'Look:\n\nOn 1 May 2026, Amy wrote:\n> something' }))
  assert.equal((await editDraft(stored, change('New'), options)).letter.text, 'New')
})

test('another quote in the new text is its own', async () => {
  const text = 'Second\n\nOn 1 May 2026, Bob <b@x.example> wrote:\n> other words'
  const { letter } = await editDraft(await storeReply(), change(text), options)
  assert.equal(letter.text, `${text}\n\n${quote}`)
})

test('an answer whose own text is still empty keeps its quote', async () => {
  const stored = await store(
    makeLetter({ text: quote, inReplyTo: '<m1@sender.example>', references: ['<m1@sender.example>'] }),
  )
  assert.equal((await editDraft(stored, change('Now'), options)).letter.text, `Now\n\n${quote}`)
})

test('a draft of another program in HTML alone keeps what it quotes', async () => {
  const stored = Buffer.from(
    [
      'From: owner@home.example',
      'To: amy@sender.example',
      'Subject: =?utf-8?q?Re=3A_Pl=C3=A4ne?=',
      'In-Reply-To: <m1@sender.example>',
      'Content-Type: text/html; charset=iso-8859-1',
      '',
      '<p>Erst</p><div class="moz-cite-prefix">Am 16.11.26 um 08:00 schrieb Amy:</div><blockquote type="cite"><p>Alt \xe4</p></blockquote>',
    ].join('\r\n'),
    'latin1',
  )
  const { letter } = await editDraft(
    stored,
    change('Neu', { own: { text: 'Neu', html: '<p>Neu</p>' } }),
    options,
  )
  assert.match(letter.text, /^Neu\n\nAm 16\.11\.26 um 08:00 schrieb Amy:\n+> Alt \u00e4$/)
  assert.match(letter.html ?? '', /^<p>Neu<\/p>.*Alt \u00e4<\/p><\/blockquote>$/)
  assert.equal(letter.subject, 'Re: Pl\u00e4ne')
})

test('a stored recipient that is none is refused where it is kept, by place and never by its words', async () => {
  const stored = Buffer.from('From: owner@home.example\r\nTo: a@x.example, bob\r\nSubject: x\r\n\r\ntext\r\n')
  await assert.rejects(
    editDraft(stored, change('New'), options),
    (error) =>
      error instanceof Fault &&
      error.code === 'recipient_invalid' &&
      error.details['position'] === 2 &&
      !error.public.includes('bob'),
  )
  const fixed = await editDraft(stored, change('New', { to: [], cc: [], bcc: [] }), options)
  assert.deepEqual(fixed.letter.to, [])
})

test('line breaks hidden in encoded words of a stored draft begin no field', async () => {
  const stored = Buffer.from(
    'From: =?utf-8?q?O=0D=0ABcc=3A_x=40y.example?= <owner@home.example>\r\nTo: =?utf-8?q?A=0AB?= <a@x.example>\r\nSubject: =?utf-8?q?a=0D=0Ab?=\r\n\r\nx\r\n',
  )
  const next = await store((await editDraft(stored, change('New'), options)).letter)
  const { bcc, subject } = readMessageFields(parseMime(next).headers)
  assert.deepEqual([bcc, subject], [[], 'a b'])
})
