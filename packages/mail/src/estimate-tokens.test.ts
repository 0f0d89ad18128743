import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateTokens } from './estimate-tokens.ts'

test('four ASCII characters are a token, every other character one of its own', () => {
  assert.equal(estimateTokens(''), 0)
  assert.equal(estimateTokens('abcd'), 1)
  assert.equal(estimateTokens('abcde'), 2)
  assert.equal(estimateTokens('\u4f1a\u8b70 ok'), 3)
  assert.equal(estimateTokens('\u{1f600}'), 2)
})
