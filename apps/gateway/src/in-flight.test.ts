import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createInFlight } from './in-flight.ts'

it('a place is free again once, however often it is given back', () => {
  const inFlight = createInFlight({ total: 2, perTenant: 2 })
  const leave = inFlight.enter('a')
  inFlight.enter('a')
  leave()
  leave()
  assert.equal(inFlight.size, 1)
  inFlight.enter('a')
  assert.throws(() => inFlight.enter('a'), { code: 'rate_limit_exceeded' })
})

it('a full house is busy for a tenant that holds nothing', () => {
  const inFlight = createInFlight({ total: 1, perTenant: 1 })
  inFlight.enter('a')
  assert.throws(
    () => inFlight.enter('b'),
    (error) => error instanceof Fault && error.code === 'service_busy' && error.retryAfterSeconds !== null,
  )
})

it('drained waits for work that outlasts its request', async () => {
  const inFlight = createInFlight({ total: 9, perTenant: 9 })
  const work = Promise.withResolvers<string>()
  const leave = inFlight.enter('a')
  const tracked = inFlight.track(work.promise)
  leave()
  let isDrained = false
  const drained = inFlight.drained().then(() => {
    isDrained = true
  })
  await new Promise(setImmediate)
  assert.equal(isDrained, false)
  work.resolve('done')
  assert.equal(await tracked, 'done')
  await drained
  assert.equal(isDrained, true)
})

it('drained does not wait for work that failed', async () => {
  const inFlight = createInFlight({ total: 9, perTenant: 9 })
  await assert.rejects(inFlight.track(Promise.reject(new Error('no'))))
  await inFlight.drained()
})
