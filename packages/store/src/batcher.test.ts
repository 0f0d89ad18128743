import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { createBatcher, type Batcher } from './batcher.ts'

interface Bench {
  readonly batcher: Batcher<number>
  readonly written: number[][]
  lost: number
  /** Items that the next writes return unwritten. */
  isAway: boolean
}

function bench(options: { seconds?: number; maxItems?: number; maxWaiting?: number } = {}): Bench {
  const written: number[][] = []
  const self: Bench = {
    written,
    lost: 0,
    isAway: false,
    batcher: createBatcher<number>({
      seconds: options.seconds ?? 60,
      maxItems: options.maxItems ?? 1_000,
      maxWaiting: options.maxWaiting ?? 1_000,
      write: async (items) => {
        await sleep(1)
        if (self.isAway) return items
        written.push([...items.values()])
        return new Map()
      },
      onLost: (count) => {
        self.lost += count
      },
    }),
  }
  return self
}

const fill = ({ batcher }: Bench, from: number, to: number): void => {
  for (let item = from; item <= to; item += 1) batcher.add(String(item), item)
}

test('a full batch is written without waiting for the time', async () => {
  const self = bench({ maxItems: 3 })
  fill(self, 1, 4)
  await sleep(20)
  assert.deepEqual(self.written, [[1, 2, 3]])
  await self.batcher.close()
  assert.deepEqual(self.written, [[1, 2, 3], [4]])
})

test('a batch that does not fill is written when its time is up', async () => {
  const self = bench({ seconds: 0.01 })
  fill(self, 1, 2)
  await sleep(100)
  assert.deepEqual(self.written, [[1, 2]])
})

test('an item of the same key replaces the one before', async () => {
  const self = bench()
  self.batcher.add('same', 1)
  self.batcher.add('same', 2)
  await self.batcher.flush()
  assert.deepEqual(self.written, [[2]])
})

test('what could not be written is written later, and nothing is lost', async () => {
  const self = bench({ seconds: 0.01 })
  self.isAway = true
  fill(self, 1, 2)
  await self.batcher.flush()
  assert.deepEqual(self.written, [])
  self.isAway = false
  self.batcher.add('3', 3)
  await sleep(100)
  assert.deepEqual(new Set(self.written.flat()), new Set([1, 2, 3]))
  assert.equal(self.lost, 0)
})

test('a newer item is not overwritten by an older one that comes back', async () => {
  const self = bench()
  self.isAway = true
  self.batcher.add('same', 1)
  const attempt = self.batcher.flush()
  self.batcher.add('same', 2)
  await attempt
  self.isAway = false
  await self.batcher.flush()
  assert.deepEqual(self.written, [[2]])
})

test('while writing fails memory is bounded, and what does not fit is counted', async () => {
  const self = bench({ maxItems: 2, maxWaiting: 5 })
  self.isAway = true
  fill(self, 1, 4)
  await self.batcher.flush()
  fill(self, 5, 9)
  assert.equal(self.lost, 4)
  self.isAway = false
  await self.batcher.close()
  assert.deepEqual(new Set(self.written.flat()), new Set([1, 2, 3, 4, 5]))
})

test('closing writes what is there; what comes later, or cannot be written any more, is counted', async () => {
  const self = bench()
  fill(self, 1, 2)
  await self.batcher.close()
  fill(self, 3, 3)
  assert.deepEqual([self.written, self.lost], [[[1, 2]], 1])
  const away = bench()
  away.isAway = true
  fill(away, 1, 2)
  await away.batcher.close()
  assert.deepEqual([away.written, away.lost], [[], 2])
})
