import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from './charset.ts'
import { chooseBody } from './choose-body.ts'
import { decodeHeader } from './decode-header.ts'
import { parseAddresses } from './parse-addresses.ts'
import { parseDateHeader } from './parse-date-header.ts'
import { parseMime } from './parse-mime.ts'
import { parseStructuredHeader } from './parse-structured-header.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/**
 * A quarter of a million characters take a linear parser some tenths of a second, a quadratic one many minutes. The
 * bound lies far from both, so that a slow machine fails nothing and a bad pattern cannot pass.
 */
const length = 250_000
const boundMs = 10_000

const patterns = [
  [
    '(',
    '"',
    '<',
    '<"',
    '<a',
    '<,',
    ',',
    'a,',
    'a@b,',
    'a b@c ',
    ':;',
    'a:;',
    '@',
    '[',
    'a@[',
    '\\',
    '"\\',
    '.',
  ],
  ['=?', '?=', '=?a?q?', '=?a?q?x ', '=?a?b?x?= ', '=?a?q?x?= =?b?q?x?= ', ' ', ' \t', '\r\n ', '\n', '=\n'],
  [
    ';',
    'a=',
    'a="',
    "a*0*=utf-8''",
    'a*0=',
    '%41',
    '=',
    '= ',
    '=4',
    '+',
    '\x1b$B',
    '\x1b(',
    '-',
    '--',
    '\n--b',
  ],
  ['\xe9', '\xe9 ', '\xc3\xa9'],
].flat()

const parsers: Readonly<Record<string, (text: string, octets: Uint8Array) => unknown>> = {
  'an address list': (text) => parseAddresses(`"x <a@b>, ${text}`, 'koi8-r'),
  'an address in brackets': (text) => parseAddresses(`x <${text}>`, null),
  'a header': (text) => decodeHeader(text, 'koi8-r'),
  'a structured header': (text) => parseStructuredHeader(`text/plain; name*=${text}`),
  'a date': (text) => parseDateHeader(text),
  base64: (_, octets) => decodeTransfer(octets, 'base64'),
  'quoted-printable': (_, octets) => decodeTransfer(octets, 'quoted-printable'),
  uuencode: (_, octets) => decodeTransfer(octets, 'x-uuencode'),
  charsets: (_, octets) =>
    ['utf-7', 'iso-2022-jp', 'x-klingon', null].map((label) => decodeText(octets, label)),
  'a charset label': (text) => decodeText(new Uint8Array(), text),
  'a message': (_, octets) => parseMime(octets),
  'a multipart': (text) =>
    chooseBody(
      parseMime(Buffer.from(`Content-Type: multipart/mixed; boundary=b\n\n--b\n${text}`, 'latin1')).tree,
    ),
}

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} of any repeated pattern takes time in proportion to its length`, () => {
    for (const pattern of patterns) {
      const text = pattern.repeat(Math.ceil(length / pattern.length))
      const octets = Buffer.from(text, 'latin1')
      const started = performance.now()
      parse(text, octets)
      assert.ok(performance.now() - started < boundMs, JSON.stringify(pattern))
    }
  })
}

test('boundaries that all begin alike cost a line no more than their number', () => {
  let text = ''
  for (let depth = 0; depth < 60; depth += 1) {
    const boundary = `${'b'.repeat(900)}${depth}`
    text += `Content-Type: multipart/mixed; boundary=${boundary}\n\n--${boundary}\n`
  }
  const started = performance.now()
  parseMime(Buffer.from(`${text}\n${`--${'b'.repeat(899)}\n`.repeat(1_000)}${'--\n'.repeat(length)}`))
  assert.ok(performance.now() - started < boundMs)
})

test('blank text within fifty alternatives is looked at once', () => {
  let text = ''
  for (let depth = 0; depth < 50; depth += 1) {
    text += `Content-Type: multipart/alternative; boundary=b${depth}x\n\n--b${depth}x\n\nx\n--b${depth}x\n`
  }
  const started = performance.now()
  chooseBody(parseMime(Buffer.from(`${text}\n${' '.repeat(5_000_000)}`)).tree)
  assert.ok(performance.now() - started < boundMs)
})
