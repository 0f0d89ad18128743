import { silentLog } from '@postern/core'
import type { Call } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TurnQueue } from './turn-queue.ts'

function call(ms = 5_000, signal = new AbortController().signal): Call {
  return { signal, deadline: new Date(Date.now() + ms), log: silentLog }
}

test('work under one name runs one after the other in order, other names beside it, and a failure ends only itself', async () => {
  const queue = new TurnQueue()
  const seen: string[] = []
  const work = (name: string, ms: number) => async (): Promise<void> => {
    seen.push(`${name} begins`)
    await sleep(ms)
    seen.push(`${name} ends`)
    if (name === 'b') throw new RangeError('b')
  }
  const results = await Promise.allSettled([
    queue.run('x', call(), work('a', 40)),
    queue.run('x', call(), work('b', 5)),
    queue.run('y', call(), work('z', 1)),
    queue.run('x', call(), work('c', 5)),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(
    seen.filter((line) => !line.startsWith('z')),
    ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'],
  )
  assert.ok(seen.indexOf('z ends') < seen.indexOf('a ends'))
})

test('who gives up waiting never runs, and lets nobody behind it overtake those ahead', async () => {
  const queue = new TurnQueue()
  const seen: string[] = []
  const first = queue.run('x', call(), async () => {
    await sleep(60)
    seen.push('first')
  })
  const controller = new AbortController()
  const late = queue.run('x', call(10), async () => seen.push('late'))
  const stopped = queue.run('x', call(5_000, controller.signal), async () => seen.push('stopped'))
  controller.abort(new RangeError('stopped'))
  const gone = await Promise.allSettled([late, stopped])
  assert.deepEqual(
    gone.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await Promise.all([first, queue.run('x', call(), async () => seen.push('last'))])
  assert.deepEqual(seen, ['first', 'last'])
})
