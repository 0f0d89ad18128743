import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText } from './fold-text.ts'

const same: readonly (readonly [string, string])[] = [
  ['STRASSE', 'stra\u00dfe'],
  ['Z\u00fcrich', 'ZU\u0308RICH'],
  ['\u03a3\u0391\u03a3', '\u03c3\u03b1\u03c2'],
  ['\uff21\uff22', 'ab'],
  ['\ufb01n', 'FIN'],
  ['\u0418\u041c\u042f', '\u0438\u043c\u044f'],
  ['a\t b', 'A B'],
]

test('words that differ in case, composition or width only fold to the same text', () => {
  for (const [left, right] of same) assert.equal(foldText(left), foldText(right), left)
})

test('folding twice changes nothing, and different words stay different', () => {
  for (const text of [...same.flat(), '\u0130stanbul', '\u4f1a\u8bae', 'a%b_c*d.e']) {
    assert.equal(foldText(foldText(text)), foldText(text))
  }
  assert.notEqual(foldText('Zurich'), foldText('Z\u00fcrich'))
})
