import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { stripInvisible } from './strip-invisible.ts'

const gone = {
  'Unicode tags': 'a\u{e0073}\u{e0065}\u{e006e}\u{e0064}b',
  'bidi overrides and isolates': 'a\u202e\u2066\u2069\u200f\u061cb',
  'zero-width characters': 'a\u200b\u2060\ufeff\u180eb',
  'the soft hyphen and the grapheme joiner': 'a\u00ad\u034fb',
  'invisible operators and fillers': 'a\u2063\u3164\u115f\uffa0b',
  'C0 and C1 controls': 'a\0\x07\x1b\x7f\x80\x9fb',
  'variation selectors behind letters': 'a\ufe0f\ufe01\u{e0101}b',
  'joiners between Latin letters': 'a\u200d\u200cb',
  noncharacters: 'a\ufdd0\uffff\u{1fffe}b',
  'annotation marks': 'a\ufff9\ufffbb',
}
const kept = {
  'ZWNJ between Persian letters': '\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
  'ZWJ between a virama and a letter': '\u0915\u094d\u200d\u0937',
  'ZWJ behind a virama at the end of a word': '\u0d28\u0d4d\u200d.',
  'ZWJ in a family': '\u{1f469}\u200d\u{1f467}',
  'ZWJ behind a skin tone': '\u{1f469}\u{1f3fd}\u200d\u{1f52c}',
  'selector and ZWJ': '\u2764\ufe0f\u200d\u{1f525}',
  'a keycap': '1\ufe0f\u20e3',
  'a Mongolian selector': '\u182d\u180b',
  'an Arabic number sign': '\u0600\u0661',
  'tab and line end': 'a\tb\nc',
  'combining marks': 'e\u0301',
}

describe('what a reader cannot see is not in the text (check 49)', () => {
  for (const [name, text] of Object.entries(gone)) {
    test(name, () => {
      assert.equal(stripInvisible(text), 'ab')
    })
  }
  test('a run of joiners or selectors carries no message', () => {
    assert.equal(stripInvisible('\u0645\u200c\u200d\u200c\u062a'), '\u0645\u200c\u062a')
    assert.equal(stripInvisible('\u{1f600}\ufe0f\ufe0e\u{e0110}\u{e0111}x'), '\u{1f600}\ufe0fx')
    assert.equal(stripInvisible('1\ufe0f2\ufe0e3'), '123')
  })
})

describe('what writing needs stays (check 49)', () => {
  for (const [name, text] of Object.entries(kept)) {
    test(name, () => {
      assert.equal(stripInvisible(text), text)
    })
  }
})

test('every line end becomes one', () => {
  assert.equal(stripInvisible('a\r\nb\rc\u2028d\u2029e'), 'a\nb\nc\nd\ne')
})

test('half a surrogate pair is replaced, also where stripping would make two of them meet', () => {
  assert.equal(stripInvisible('\ud83d\u200b\ude00'), '\ufffd\ufffd')
})

test('markup keeps joiners and selectors until its entities are decoded', () => {
  assert.equal(stripInvisible('&#x645;\u200c&#x62a;\u200b\u202e', 'markup'), '&#x645;\u200c&#x62a;')
})

test('a megabyte of invisible characters costs no more than its length', () => {
  const text = 'a\u200d'.repeat(500_000)
  const start = performance.now()
  assert.equal(stripInvisible(text).length, 500_000)
  assert.ok(performance.now() - start < 20_000)
})
