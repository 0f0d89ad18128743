import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutGraphemes, findCut } from './cut-graphemes.ts'

test('a cut parts no surrogate pair and no cluster', () => {
  assert.equal(cutGraphemes('ab\u{1f600}', 3), 'ab')
  assert.equal(cutGraphemes('ae\u0301x', 2), 'a')
  assert.equal(cutGraphemes('a\u{1f469}\u200d\u{1f467}b', 4), 'a')
  assert.equal(cutGraphemes('\u0e01\u0e33x', 1), '')
  assert.equal(cutGraphemes('abc', 3), 'abc')
  assert.equal(cutGraphemes('abc', 2), 'ab')
})

test('a flood of marks is cut between code points', () => {
  const text = `x${'\u0301'.repeat(5_000)}`
  assert.equal(findCut(text, 1_000), 1_000)
  const pairs = '\u{1f3fb}'.repeat(2_000)
  assert.equal(findCut(pairs, 1_001) % 2, 0)
})

test('where to cut is found in the neighbourhood of the cut', () => {
  const text = '\u4f1a'.repeat(2_000_000)
  const start = performance.now()
  for (let limit = 1_000; limit < 1_200; limit++) assert.equal(findCut(text, limit), limit)
  assert.ok(performance.now() - start < 20_000)
})
