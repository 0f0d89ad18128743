import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { readMailFixture, readMailFixtures, type MailExpectation } from '@postern/fixtures'
import { decodeText } from './charset.ts'
import { chooseBody } from './choose-body.ts'
import { findHeader } from './header.ts'
import { readMessageFields } from './message-fields.ts'
import { parseDateHeader } from './parse-date-header.ts'
import { parseMime } from './parse-mime.ts'
import { walkParts, type Part } from './part.ts'

function decode(part: Part): { text: string; isGuessed: boolean } {
  return decodeText(part.content ?? new Uint8Array(), part.params.get('charset') ?? null)
}

/** Everything that an expectation names, read from the octets. */
function read(octets: Uint8Array): Omit<MailExpectation, 'why'> {
  const { headers, tree, damagedParts } = parseMime(octets)
  const { subject, from, to } = readMessageFields(headers, tree)
  const chosen = chooseBody(tree)
  const texts = chosen.parts.map(({ part }) => decode(part))
  return {
    subject,
    from,
    to,
    date: parseDateHeader(findHeader(headers, 'Date') ?? '')?.toISOString() ?? '',
    types: walkParts(tree)
      .map(({ id, type }) => `${id} ${type}`.trim())
      .toArray(),
    body: texts.map(({ text }) => text),
    source: chosen.source,
    attachments: chosen.attachments.map(({ filename, mimeType, sizeBytes, isInline }) => ({
      filename,
      mimeType,
      sizeBytes: sizeBytes ?? -1,
      isInline,
    })),
    ...(chosen.warnings.length > 0 ? { warnings: chosen.warnings } : {}),
    ...(damagedParts.length > 0 ? { damaged: damagedParts } : {}),
    ...(texts.some(({ isGuessed }) => isGuessed) ? { isGuessed: true } : {}),
  }
}

function withoutDigests({
  why: _why,
  html: _html,
  ...expected
}: MailExpectation): Omit<MailExpectation, 'why'> {
  const attachments = expected.attachments.map(({ sha256: _sha256, ...attachment }) => attachment)
  return { ...expected, attachments }
}

for (const { name, octets, expected } of readMailFixtures()) {
  test(`${name}: ${expected.why}`, () => {
    assert.deepEqual(read(octets), withoutDigests(expected))
  })
}

function bodyOf(name: string): readonly string[] {
  return read(readMailFixture(name).octets).body
}

test('check 54: a message with headers named __proto__ and Constructor is read, and has them', () => {
  const { headers, tree } = parseMime(readMailFixture('odd-names').octets)
  assert.equal(findHeader(headers, '__proto__'), 'one')
  assert.equal(findHeader(headers, 'constructor'), 'two')
  assert.deepEqual([...tree.params.keys()], ['__proto__', 'constructor', 'charset'])
  assert.equal(Object.hasOwn(Object.prototype, 'charset'), false)
})

test('check 88: a message of HTML alone has a body', () => {
  const { source, body } = read(readMailFixture('html-only').octets)
  assert.equal(source, 'html')
  assert.match(body.join(''), /Caf\u00e9 &amp; more/)
})

test('check 89: quoted-printable is undone exactly once', () => {
  assert.match(bodyOf('quoted-printable').join(''), /^https:\/\/example\.com\/\?x=ed12\r\n/)
  assert.match(bodyOf('quoted-printable').join(''), /\?x=3D\r\n/)
})

test('check 90: cp932, eucjp and iso2022jp are decoded; an unknown charset is replaced and reported', () => {
  for (const label of ['cp932', 'eucjp', 'iso2022jp']) {
    assert.match(bodyOf(`charset-${label}`).join(''), /^[^\ufffd]*\u3067\u3059[^\ufffd]*$/)
  }
  const { body, isGuessed } = read(readMailFixture('charset-unknown').octets)
  assert.deepEqual([body, isGuessed], [['Caf\ufffd\r\n'], true])
})

test('check 91: a raw 8-bit body keeps its octets, and three texts are joined in order', () => {
  assert.deepEqual(bodyOf('charset-koi8-r'), ['\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440\r\n'])
  assert.deepEqual(bodyOf('three-texts'), ['First.', '<p>Second.</p>', 'Third.'])
})

test('check 92: adjacent encoded words, lower-case ones and a raw KOI8-R subject are decoded', () => {
  const words = read(readMailFixture('encoded-words').octets)
  assert.match(words.subject, /^Re:\u00e9\u20ac and/)
  assert.match(
    read(readMailFixture('raw-koi8-headers').octets).subject,
    /^\u041f\u0440\u0438\u0432\u0435\u0442/,
  )
})

test('check 94: an unquoted comma inside a display name does not split the mailbox', () => {
  const { to } = read(readMailFixture('addresses').octets)
  assert.deepEqual(to[0], { name: 'Doe, Jane', email: 'j@x.example' })
})

test('check 96: an attachment of all 256 octets comes out with the same digest', () => {
  const { octets, expected } = readMailFixture('all-octets')
  const { tree } = parseMime(octets)
  const digests = chooseBody(tree).attachments.map(({ partId }) => {
    const part = walkParts(tree).find(({ id }) => id === partId)
    return createHash('sha256')
      .update(part?.content ?? '')
      .digest('hex')
  })
  assert.equal(digests.length, 3)
  assert.deepEqual(
    digests,
    expected.attachments.map(({ sha256 }) => sha256),
  )
})

test('check 97: a text part with a file name is an attachment, not body', () => {
  const { body, attachments } = read(readMailFixture('named-texts').octets)
  assert.deepEqual(body, ['The body.'])
  assert.deepEqual(
    attachments.map(({ filename }) => filename),
    ['notes.txt', null, null],
  )
})

test('check 98: an attached message is an attachment; related without a valid start has a body and a warning', () => {
  const attached = read(readMailFixture('attached-message').octets)
  assert.deepEqual(attached.body, ['See below.'])
  assert.deepEqual(
    attached.attachments.map(({ mimeType }) => mimeType),
    ['message/rfc822'],
  )
  const related = read(readMailFixture('related-without-start').octets)
  assert.deepEqual(related.body, ['<p>Readable.</p>'])
  assert.deepEqual(related.warnings, ['related_root_missing'])
})

test('the HTML form of a body is found beside its plain form', () => {
  const { octets, expected } = readMailFixture('mixed-in-alternative')
  const { htmlParts } = chooseBody(parseMime(octets).tree)
  assert.deepEqual(
    htmlParts.map((part) => decode(part).text),
    expected.html,
  )
})

test('every message, cut at any octet, is still read without an error', () => {
  for (const { octets } of readMailFixtures()) {
    for (let length = 0; length < octets.length; length += 7) read(octets.subarray(0, length))
  }
})
