import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapInTurns } from './map-in-turns.ts'

test('long work gives others their turns, keeps its order, and short work takes one', async () => {
  const busy = (number: number): number => {
    const until = performance.now() + 15
    while (performance.now() < until);
    return number * 2
  }
  let turns = 0
  const count = setInterval(() => (turns += 1), 0)
  assert.deepEqual(await mapInTurns([1, 2, 3, 4, 5, 6], busy), [2, 4, 6, 8, 10, 12])
  assert.ok(turns >= 3, `${String(turns)} turns`)
  turns = 0
  assert.deepEqual(await mapInTurns([1, 2], String), ['1', '2'])
  assert.equal(turns, 0)
  clearInterval(count)
  await assert.rejects(
    mapInTurns([1], () => {
      throw new RangeError('no')
    }),
    RangeError,
  )
})
