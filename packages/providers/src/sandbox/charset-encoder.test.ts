import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCharsetEncoder } from './charset-encoder.ts'

const encode = createCharsetEncoder()

for (const [charset, text] of [
  ['iso-8859-15', '7 200 \u20ac, no\u00ebl'],
  ['windows-1256', '\u0645\u0631\u062d\u0628\u0627\u060c 12'],
  ['koi8-r', '\u0416\u0451\u043b\u0442\u044b\u0439 x'],
  ['shift_jis', '\u30c8\u30c1\u306e\u6728 A'],
  ['iso-2022-jp', 'A \u898b\u7a4d\u308a B \u3067\u3059'],
  ['gb18030', '\u8c03\u5149\u5668 R4\uff0c'],
] as const) {
  test(`what is encoded as ${charset} decodes to the same text`, () => {
    assert.equal(new TextDecoder(charset, { fatal: true }).decode(encode(text, charset)), text)
  })
}

test('Japanese text ends in the ASCII set, so that what follows it is readable', () => {
  assert.deepEqual(Buffer.from(encode('\u3067', 'iso-2022-jp').slice(-3)).toString('latin1'), '\u001b(B')
})

test('a character that the charset lacks is an error, not a question mark', () => {
  assert.throws(() => encode('\u20ac', 'koi8-r'), RangeError)
})
