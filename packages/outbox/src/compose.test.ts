import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import {
  chooseBody,
  decodeText,
  listRawFields,
  parseMime,
  readMessageFields,
  withoutBcc,
} from '@postern/mail'
import {
  headerOf,
  longestLine,
  mailbox,
  mailboxes,
  makeFile,
  makeLetter,
  making,
  readIndependently,
  sha256,
  textOf,
} from '../test/build.ts'
import { createRandom, randomText } from '../test/random.ts'
import { compose } from './compose.ts'

const everyOctet = Uint8Array.from({ length: 256 }, (_, octet) => octet)

function longestEncodedWord(octets: Uint8Array): number {
  const words = headerOf(octets).match(/=\?UTF-8\?[BQ]\?[^?\s]*\?=/g) ?? []
  return Math.max(0, ...words.map(({ length }) => length))
}

test('signs, CJK, emoji and a long Cyrillic name come back the same from an independent parser (check 124)', async () => {
  const name =
    '\u041a\u043e\u043d\u0441\u0442\u0430\u043d\u0442\u0438\u043d \u041a\u043e\u043d\u0441\u0442\u0430\u043d\u0442\u0438\u043d\u043e\u043f\u043e\u043b\u044c\u0441\u043a\u0438\u0439 \u0438 \u0441\u044b\u043d\u043e\u0432\u044c\u044f'
  const subject = '\u4f1a\u8b70\u306e\u304a\u77e5\u3089\u305b'.repeat(20)
  const text = '5 \u20ac, \u65e5\u672c\u8a9e, \u{1f469}\u200d\u{1f4bb}\u{1f600}'
  const { octets } = await compose(
    makeLetter({ to: mailboxes(`${name} <k@x.example>`), subject, text }),
    making(),
  )
  const read = await readIndependently(octets)
  assert.equal(read.subject, subject)
  assert.deepEqual(read.to, [{ name, address: 'k@x.example' }])
  assert.equal(read.text?.trimEnd(), text)
  const longest = longestEncodedWord(octets)
  assert.ok(longest > 40 && longest <= 75, String(longest))
})

test('every encoded word is whole by itself: no character is split over two (check 124)', async () => {
  const subject = `${'\u{1f600}'.repeat(100)}${'e\u0301\u00e9 a'.repeat(100)}`
  const { octets } = await compose(makeLetter({ subject }), making())
  const words = [...headerOf(octets).matchAll(/=\?UTF-8\?([BQ])\?([^?\s]*)\?=/g)]
  assert.ok(words.length > 10)
  for (const [, encoding, text = ''] of words) {
    const decoded =
      encoding === 'B'
        ? Buffer.from(text, 'base64')
        : Buffer.from(
            text
              .replaceAll('_', ' ')
              .replace(/=(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
            'latin1',
          )
    assert.doesNotThrow(() => new TextDecoder('utf-8', { fatal: true }).decode(decoded))
  }
})

test('bare line feeds become CRLF, and a long line is not wrapped for its reader (check 125)', async () => {
  const long = 'word '.repeat(400).trim()
  const unbroken = 'x'.repeat(2_000)
  const { octets } = await compose(
    makeLetter({ text: `one\ntwo\rthree\r\n\n${long}\n${unbroken}`, html: `<p>${unbroken}</p>\n<p>b</p>` }),
    making(),
  )
  assert.doesNotMatch(textOf(octets), /(?<!\r)\n|\r(?!\n)/)
  const read = await readIndependently(octets)
  assert.equal(read.text?.replaceAll('\r\n', '\n').trimEnd(), `one\ntwo\nthree\n\n${long}\n${unbroken}`)
  assert.equal(read.html?.replaceAll('\r\n', '\n').trimEnd(), `<p>${unbroken}</p>\n<p>b</p>`)
  assert.ok(longestLine(octets) <= 78)
})

test('blanks at line ends, dots and From at line starts survive', async () => {
  const text = 'a \nb\t\n.\n..\nFrom here\n=3D\n-- \nend'
  const read = await readIndependently((await compose(makeLetter({ text }), making())).octets)
  assert.equal(read.text?.replaceAll('\r\n', '\n').trimEnd(), text)
})

test('CR, LF and NUL in subject, names, file names and ids are refused (check 126)', async () => {
  for (const bad of ['a\r\nBcc: x@y.example', 'a\nb', 'a\rb', 'a\0b']) {
    const named = { name: bad, email: mailbox('a@b.example').email }
    for (const letter of [
      { subject: bad },
      { from: named },
      { replyTo: named },
      { to: [named] },
      { cc: [named] },
      { bcc: [named] },
      { inReplyTo: `<${bad}>` },
      { references: ['<a@b>', bad] },
      { files: [makeFile({ filename: bad })] },
    ]) {
      await assert.rejects(
        compose(makeLetter(letter), making()),
        (error) => error instanceof Fault && error.code === 'invalid_arguments',
        JSON.stringify(letter),
      )
    }
  }
})

test('a subject of 989 characters is taken and no line exceeds 998 octets; 990 or none are refused (check 156)', async () => {
  for (const character of ['a', 'a ', '\u4f1a', '\u{1f600}', '=']) {
    const subject = character.repeat(989).slice(0, 988).toWellFormed().trimEnd().padEnd(989, 'z')
    const { octets } = await compose(makeLetter({ subject }), making())
    assert.ok(longestLine(octets) <= 998)
    assert.equal((await readIndependently(octets)).subject, subject)
  }
  for (const subject of ['', 'a'.repeat(990)]) {
    await assert.rejects(
      compose(makeLetter({ subject }), making()),
      (error) => error instanceof Fault && error.code === 'invalid_arguments',
    )
  }
})

test('the envelope is exactly who was asked for, each once (check 128)', async () => {
  const { envelope, octets } = await compose(
    makeLetter({
      to: mailboxes('a@x.example', '"x, y" <b@x.example>'),
      cc: mailboxes('A@X.example', 'c@x.example'),
      bcc: mailboxes('d@b\u00fccher.example'),
    }),
    making(),
  )
  assert.deepEqual(envelope, {
    from: 'owner@home.example',
    to: ['a@x.example', 'b@x.example', 'c@x.example', 'd@xn--bcher-kva.example'],
  })
  const { to, cc, bcc } = readMessageFields(parseMime(octets).headers)
  assert.deepEqual(
    [to, cc, bcc].map((list) => list.length),
    [2, 2, 1],
  )
})

test('Bcc stands in the octets and not on the wire, which is else the same (check 129)', async () => {
  const blind = mailboxes('"Secret, One" <s1@x.example>', '\u0416\u0443\u043a <s2@x.example>')
  const { octets } = await compose(makeLetter({ bcc: blind }), making())
  assert.equal(readMessageFields(parseMime(octets).headers).bcc.length, 2)
  const wire = withoutBcc(octets)
  assert.doesNotMatch(textOf(wire), /bcc|s1@|s2@/i)
  const { octets: without } = await compose(makeLetter(), making())
  assert.deepEqual(wire, without)
})

test('a file of all 256 octets arrives with the same SHA-256, whatever its type (check 96)', async () => {
  const octets = Buffer.concat(Array.from({ length: 300 }, () => everyOctet))
  const types = [
    'application/octet-stream',
    'text/plain',
    'image/png',
    'multipart/mixed',
    'message/rfc822',
    'nonsense',
  ]
  const files = types.map((mimeType, index) => makeFile({ filename: `f${index}.bin`, mimeType, octets }))
  const read = await readIndependently((await compose(makeLetter({ files }), making())).octets)
  assert.equal(read.attachments.length, types.length)
  for (const { content } of read.attachments) assert.equal(sha256(content as ArrayBuffer), sha256(octets))
})

test('a message that SMTP carries unchanged is attached as it is, another one as octets (check 136)', async () => {
  const clean = Buffer.from('Subject: inner\r\n\r\nBody \u20ac\r\n.\r\n', 'utf8')
  const broken = Buffer.from('Subject: inner\n\nbare\n')
  const files = [clean, broken, Buffer.from(`Subject: x\r\n\r\n${'y'.repeat(1_200)}`)].map((octets, index) =>
    makeFile({ filename: `m${index}.eml`, mimeType: 'message/rfc822', octets }),
  )
  const { octets } = await compose(makeLetter({ files }), making())
  const { tree } = parseMime(octets)
  const attached = tree.children.slice(1)
  assert.deepEqual(
    attached.map(({ type }) => type),
    ['message/rfc822', 'application/octet-stream', 'application/octet-stream'],
  )
  assert.deepEqual(
    attached.map(({ content }) => sha256(content ?? '')),
    files.map((file) => sha256(file.octets)),
  )
  assert.ok(longestLine(octets) <= 998)
})

test('text and HTML are alternatives, a picture belongs to the HTML, a file to the message', async () => {
  const picture = makeFile({ filename: null, mimeType: 'image/png', contentId: 'logo@x', isInline: true })
  const { octets } = await compose(
    makeLetter({ html: '<p>Hi <img src="cid:logo@x"></p>', files: [makeFile(), picture] }),
    making(),
  )
  const { tree } = parseMime(octets)
  const types = (part: typeof tree): string =>
    part.children.length === 0 ? part.type : `${part.type}(${part.children.map(types).join(' ')})`
  assert.equal(
    types(tree),
    'multipart/mixed(multipart/alternative(text/plain multipart/related(text/html image/png)) application/pdf)',
  )
  const { attachments } = chooseBody(tree)
  assert.deepEqual(
    attachments.map(({ isInline }) => isInline),
    [true, false],
  )
})

test('what was written as text stays text where there is no word in it, or only files', async () => {
  const { octets } = await compose(makeLetter({ text: '', files: [makeFile()] }), making())
  assert.equal(parseMime(octets).tree.children[0]?.type, 'text/plain')
})

test('nothing names a host, a program or an account but the sender', async () => {
  const { octets, rfcMessageId } = await compose(makeLetter(), making())
  assert.equal(rfcMessageId, '<Token00000000000000A@home.example>')
  const names = listRawFields(octets).fields.map(({ name }) => name)
  assert.equal(
    names.toSorted().join(' '),
    'content-transfer-encoding content-type date from message-id mime-version subject to',
  )
  assert.doesNotMatch(textOf(octets), /mailer|nodemailer|postern|NmP/i)
})

test('the digest covers everything but the moment of sending', async () => {
  const letter = makeLetter({ bcc: mailboxes('b@x.example') })
  const first = await compose(letter, making())
  const later = await compose(letter, { ...making(), now: new Date('2027-01-01T00:00:00Z') })
  assert.notDeepEqual(first.octets, later.octets)
  assert.equal(first.sha256, later.sha256)
  for (const change of [
    { subject: 'Hello!' },
    { text: 'Hello there!' },
    { bcc: [] },
    { files: [makeFile()] },
  ]) {
    assert.notEqual((await compose({ ...letter, ...change }, making())).sha256, first.sha256)
  }
})

test('the same letter, moment and token give the same octets', async () => {
  const letter = makeLetter({ html: '<p>x</p>', files: [makeFile()] })
  assert.deepEqual((await compose(letter, making())).octets, (await compose(letter, making())).octets)
})

test('a text cannot end a part: the boundary is of the token, and no reader learns it from a Message-ID', async () => {
  const letter = makeLetter({ html: '<p>x</p>' })
  const { octets } = await compose(letter, making())
  const boundary = /boundary="([^"]+)"/.exec(textOf(octets))?.[1] ?? ''
  assert.ok(boundary.length > 20 && !boundary.includes('Token'))
})

test('an address beyond ASCII is said to need SMTPUTF8, and stands in the header as it is', async () => {
  const { octets, needsUtf8, envelope } = await compose(
    makeLetter({ to: mailboxes('\u0436\u0443\u043a@x.example') }),
    making(),
  )
  assert.equal(needsUtf8, true)
  assert.deepEqual(envelope.to, ['\u0436\u0443\u043a@x.example'])
  assert.equal(readMessageFields(parseMime(octets).headers).to[0]?.email, '\u0436\u0443\u043a@x.example')
  assert.equal(
    (await compose(makeLetter({ to: mailboxes('a@b\u00fccher.example') }), making())).needsUtf8,
    false,
  )
})

test('files above 25 MB together are refused by the one that does not fit', async () => {
  const files = [10, 14, 2].map((mebibytes, index) =>
    makeFile({ filename: `f${index}`, octets: new Uint8Array(mebibytes * 1024 * 1024) }),
  )
  await assert.rejects(
    compose(makeLetter({ files }), making()),
    (error) =>
      error instanceof Fault &&
      error.code === 'attachment_too_large' &&
      error.details['file'] === 'attachment 3',
  )
})

test('any subject, name, text and file name comes back from two parsers as it was (checks 124 and 125)', async () => {
  const random = createRandom(20_261_116)
  for (let round = 0; round < 400; round += 1) {
    const subject =
      randomText(random, 1 + random(200))
        .replaceAll('\t', ' ')
        .trim() || 'x'
    const name =
      randomText(random, 1 + random(120))
        .replaceAll('\t', ' ')
        .trim() || 'x'
    const text = Array.from({ length: random(30) }, () => randomText(random, random(300))).join('\r\n')
    const filename =
      randomText(random, 1 + random(100))
        .replace(/[\t/\\]/g, ' ')
        .trim() || 'x'
    const file = makeFile({ filename, octets: everyOctet.subarray(random(256)) })
    const to = [{ name, email: mailbox('a@b.example').email }]
    const { octets } = await compose(makeLetter({ subject, to, text, files: [file] }), making())

    const { headers, tree } = parseMime(octets)
    const fields = readMessageFields(headers)
    const [part] = chooseBody(tree).parts
    assert.equal(fields.subject, subject)
    assert.deepEqual(fields.to, [{ name: name === 'a@b.example' ? null : name, email: 'a@b.example' }])
    assert.equal(decodeText(part?.part.content ?? new Uint8Array(), 'utf-8').text, text)
    assert.equal(chooseBody(tree).attachments[0]?.filename, filename)

    const read = await readIndependently(octets)
    assert.equal(read.subject, subject)
    assert.equal(read.attachments[0]?.filename, filename)
    assert.equal(sha256(read.attachments[0]?.content as ArrayBuffer), sha256(file.octets))
    assert.equal(read.to?.length, 1)
    assert.equal(read.to[0]?.address, 'a@b.example')
    assert.ok(longestLine(octets) <= 998 && longestEncodedWord(octets) <= 75)
    const names = listRawFields(octets).fields.map((field) => field.name)
    assert.equal(
      names.filter((one) => !/^(?:content-|mime-)/.test(one)).join(' '),
      'message-id date from to subject',
    )
  }
})
