import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rawText } from './text.ts'
import { cleanBlock, cleanLine, joinClean, ownText, sliceClean } from './untrusted.ts'

describe('a short field', () => {
  test('is one line, however it was broken', () => {
    assert.equal(cleanLine(rawText('  a\r\n\tb \u2028 c\n\n')), 'a b c')
  })
  test('ends with an ellipsis at 1,000 characters', () => {
    const line = cleanLine(rawText('x'.repeat(1_001)))
    assert.equal(line.length, 1_000)
    assert.ok(line.endsWith('x\u2026'))
    assert.equal(cleanLine(rawText('x'.repeat(1_000))), 'x'.repeat(1_000))
  })
  test('is not cut inside a pair or cluster', () => {
    assert.equal(cleanLine(rawText('ab\u{1f469}\u200d\u{1f467}cd'), 6), 'ab\u2026')
  })
  test('can be nothing', () => {
    assert.equal(cleanLine(rawText('\u200b \u00ad')), '')
  })
})

describe('a text of lines', () => {
  test('keeps tabs and line ends and nothing else unseen', () => {
    assert.equal(cleanBlock(rawText('a\tb\r\n\r\nc\u0007\u202e')), 'a\tb\n\nc')
  })
  test('loads nothing as Markdown (check 50)', () => {
    const text = '![a](u) ![b][r]\n[r]: http://x\n[c]:<http://x>\n<img src=u> <IMAGE x> <svg/onload=x>'
    const clean = cleanBlock(rawText(text))
    assert.doesNotMatch(clean, /!\[|\]:|<img|<image|<svg/i)
    assert.equal(clean.replaceAll(' ', ''), text.replaceAll(' ', ''), 'every word stays')
  })
  test('what only turns up once the invisible is gone is defused as well', () => {
    assert.equal(cleanBlock(rawText('!\u200b[a](u) <\u00adimg>')), '! [a](u) < img>')
  })
  test('leaves ordinary brackets alone', () => {
    const text = 'a[0](b) [::1] [x](https://y) <ann@b.example> wow! (c)'
    assert.equal(cleanBlock(rawText(text)), text)
  })
})

test('own words and pieces of clean text need no cleaning', () => {
  assert.equal(ownText('a'), 'a')
  assert.equal(sliceClean(joinClean([ownText('ab'), ownText('cd')]), 1, 3), 'bc')
})
