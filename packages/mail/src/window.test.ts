import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rawText, type CleanText } from './text.ts'
import { cleanBlock, ownText } from './untrusted.ts'
import { windowText } from './window.ts'

function walk(text: CleanText, maxChars: number): readonly string[] {
  const pieces: string[] = []
  for (let offset: number | null = 0; offset !== null;) {
    const window = windowText(text, offset, maxChars)
    assert.equal(window.totalChars, text.length)
    assert.equal(window.offset, offset)
    assert.ok(window.text.isWellFormed())
    pieces.push(window.text)
    offset = window.nextOffset
  }
  return pieces
}

const mixed = cleanBlock(
  rawText(
    'Hello \u{1f469}\u200d\u{1f467} e\u0301\u0302 \u4f1a\u8b70 \u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}\n'.repeat(
      40,
    ),
  ),
)

describe('windows (check 86)', () => {
  test('join to the whole, whatever their size', () => {
    for (let size = 1; size < 90; size++) assert.equal(walk(mixed, size).join(''), mixed, `size ${size}`)
  })
  test('part no grapheme that fits into one', () => {
    const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
    const whole = new Set(Array.from(graphemes.segment(mixed), ({ index }) => index))
    let offset = 0
    for (const piece of walk(mixed, 17).slice(0, -1)) {
      offset += piece.length
      assert.ok(whole.has(offset), `cut at ${offset}`)
    }
  })
  test('hold 8,000 characters of a body of 46,000 tokens and say where it goes on', () => {
    const text = ownText('word '.repeat(36_800))
    const { text: piece, nextOffset, totalChars } = windowText(text, 0, 8_000)
    assert.deepEqual([piece.length, nextOffset, totalChars], [8_000, 8_000, 184_000])
  })
  test('move on even where not one grapheme fits', () => {
    assert.deepEqual(walk(ownText('\u{1f600}\u{1f600}'), 1), ['\u{1f600}', '\u{1f600}'])
    const flood = ownText(`a${'\u0301'.repeat(2_000)}`)
    assert.equal(walk(flood, 100).join(''), flood)
  })
})

test('a whole body in one window goes on nowhere (check 87)', () => {
  assert.deepEqual(windowText(ownText('abc'), 0, 3), {
    text: 'abc',
    offset: 0,
    totalChars: 3,
    nextOffset: null,
  })
})

test('an offset past the end is the end, one inside a pair its beginning, and no room is no text', () => {
  assert.deepEqual(windowText(ownText('abc'), 9, 5), { text: '', offset: 3, totalChars: 3, nextOffset: null })
  assert.equal(windowText(ownText('\u{1f600}b'), 1, 5).offset, 0)
  assert.deepEqual(windowText(ownText('abc'), 0, 0), { text: '', offset: 0, totalChars: 3, nextOffset: 0 })
})
