import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMailFixtures } from '@postern/fixtures'
import { decodeText } from './charset.ts'
import { chooseBody } from './choose-body.ts'
import { readMessageFields } from './message-fields.ts'
import { maxPartDepth, maxParts, parseMime } from './parse-mime.ts'
import { walkParts } from './part.ts'
import { decodeSnippet } from './snippet.ts'

/** mulberry32: the same messages in every run, so that a failure can be repeated. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const splices = [
  [
    '\r\n',
    '\n',
    '--',
    '--b\r\n',
    '--b--',
    '"',
    '(',
    '<',
    '>',
    ';',
    ':',
    '=',
    '=?utf-8?q?',
    '?=',
    '%',
    '\\',
    '\0',
  ],
  [
    '\xff',
    '\x1b$B',
    'Content-Type: multipart/related; boundary=b\r\n\r\n',
    'Content-Type: message/rfc822\r\n',
  ],
  ['charset=utf-7', 'Content-Transfer-Encoding: base64\r\n', '__proto__', "*0*=utf-8''"],
]
  .flat()
  .map((text) => Buffer.from(text, 'latin1'))

test('messages with pieces cut, doubled and put in are read without an error, in well-formed text', () => {
  const random = createRandom(20_261_116)
  const fixtures = readMailFixtures()
  for (let round = 0; round < 4_000; round += 1) {
    let octets = Buffer.from(fixtures[random(fixtures.length)]?.octets ?? [])
    for (let change = random(4); change >= 0; change -= 1) {
      const [at, length] = [random(octets.length + 1), random(60)]
      const piece =
        random(3) === 0 ? octets.subarray(at, at + length) : (splices[random(splices.length)] ?? octets)
      const rest = octets.subarray(random(2) === 0 ? at : at + length)
      octets = Buffer.concat([octets.subarray(0, at), piece, rest])
    }
    const { headers, tree } = parseMime(octets)
    const { subject, from, to } = readMessageFields(headers, tree)
    const parts = walkParts(tree).toArray()
    assert.equal(new Set(parts.map(({ id }) => id)).size, parts.length)
    assert.ok(parts.length <= maxParts)
    assert.ok(parts.every(({ id }) => id.split('.').length <= maxPartDepth + 1))
    const { parts: body, attachments, htmlParts } = chooseBody(tree)
    const ids = [...body.map(({ part }) => part.id), ...attachments.map(({ partId }) => partId)]
    assert.equal(new Set(ids).size, ids.length, 'no part is both body and file')
    const texts = [...body.map(({ part }) => part), ...htmlParts].map(
      (part) => decodeText(part.content ?? new Uint8Array(), part.params.get('charset') ?? null).text,
    )
    const names = [...from, ...to].flatMap(({ name, email }) => [name ?? '', email])
    const snippet = decodeSnippet(tree, '1', octets.subarray(0, 100))?.text ?? ''
    assert.ok([subject, snippet, ...names, ...texts].every((text) => text.isWellFormed()))
  }
})
