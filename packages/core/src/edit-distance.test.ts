import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance } from './edit-distance.ts'

test('distance counts insertions, deletions and substitutions by character', () => {
  assert.equal(editDistance('', ''), 0)
  assert.equal(editDistance('', 'abc'), 3)
  assert.equal(editDistance('kitten', 'sitting'), 3)
  assert.equal(editDistance('subjet', 'subject'), 1)
  assert.equal(editDistance('\u{1F600}a', 'a'), 1)
})
