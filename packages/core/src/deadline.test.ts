import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import { withDeadline } from './deadline.ts'
import { Fault } from './fault.ts'

const soon = (ms: number): Date => new Date(Date.now() + ms)
const never = new AbortController().signal

test('work that ends in time gives its value or its own failure', async () => {
  assert.equal(await withDeadline(Promise.resolve(7), soon(1_000), never), 7)
  await assert.rejects(withDeadline(Promise.reject(new RangeError('own')), soon(1_000), never), RangeError)
})

test('the deadline and the signal end the wait, not the work', async () => {
  const isTimeout = (error: unknown): boolean => error instanceof Fault && error.code === 'timeout'
  await assert.rejects(withDeadline(sleep(5_000, null, { ref: false }), soon(10), never), isTimeout)
  const gone = new AbortController()
  const wait = withDeadline(sleep(5_000, null, { ref: false }), soon(5_000), gone.signal)
  gone.abort(new RangeError('gone'))
  await assert.rejects(wait, RangeError)
})

test('a failure of work that nobody waits for any more never ends the process', async () => {
  const heard: unknown[] = []
  const listen = (reason: unknown): void => void heard.push(reason)
  process.on('unhandledRejection', listen)
  const fail = async (): Promise<never> => {
    await sleep(5)
    throw new TypeError('too late')
  }
  await assert.rejects(
    withDeadline(fail(), soon(1_000), AbortSignal.abort(new RangeError('gone'))),
    RangeError,
  )
  await assert.rejects(withDeadline(fail(), new Date(0), never), Fault)
  await sleep(30)
  process.off('unhandledRejection', listen)
  assert.deepEqual(heard, [])
})
