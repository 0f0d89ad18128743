import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeModifiedUtf7 } from './modified-utf7.ts'

test('check 61: names are decoded as RFC 3501 5.1.3 says', () => {
  const cases = [
    ['INBOX', 'INBOX'],
    ['AT&-T', 'AT&T'],
    ['Entw&APw-rfe', 'Entw\u00fcrfe'],
    ['~peter/mail/&U,BTFw-/&ZeVnLIqe-', '~peter/mail/\u53f0\u5317/\u65e5\u672c\u8a9e'],
    ['&2D3eAA-', '\u{1f600}'],
    ['&-&-', '&&'],
  ] as const
  for (const [name, text] of cases) assert.equal(decodeModifiedUtf7(name), text)
})

test('check 61: a name that breaks the rules anywhere stays exactly as it is', () => {
  const faulty = [
    '&',
    'a&b',
    '&-broken&',
    '&AGE-', // ASCII in disguise
    '&APw', // not closed
    '&A-', // half a unit
    '&APx-', // stray bits
    '&2D0-', // half a surrogate pair
    '&AP w-',
    '&/AA-',
    'Entw&APw-rfe &oops',
    'Entw\u00fcrfe &',
  ]
  for (const name of faulty) assert.equal(decodeModifiedUtf7(name), name)
})

test('decoding takes time in proportion to the length', () => {
  const started = Date.now()
  decodeModifiedUtf7('&'.repeat(20_000))
  decodeModifiedUtf7('&APw-'.repeat(10_000))
  assert.ok(Date.now() - started < 2_000)
})
