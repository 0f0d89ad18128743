import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chunk, packNumberSet } from './number-set.ts'

test('a set names each number once, in runs', () => {
  assert.equal(packNumberSet([7]), '7')
  assert.equal(packNumberSet([3, 1, 2, 9, 7, 2]), '1:3,7,9')
  assert.equal(packNumberSet([4294967295, 4294967294]), '4294967294:4294967295')
})

test('pieces keep the order, leave nothing out, and are never empty', () => {
  const numbers = Array.from({ length: 1_001 }, (_, index) => index)
  const pieces = chunk(numbers)
  assert.deepEqual(
    pieces.map(({ length }) => length),
    [500, 500, 1],
  )
  assert.deepEqual(pieces.flat(), numbers)
  assert.deepEqual(chunk([]), [])
})

test('the longest set of one piece fits into the line that every server takes', () => {
  const sparse = Array.from({ length: 500 }, (_, index) => 4_294_960_000 + index * 2)
  assert.ok(packNumberSet(sparse).length < 8_000 - 500)
})
