import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import { storeFault } from './store-fault.ts'

const thrown = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code })

test('a database that is out of reach or out of room asks for patience: what was to be written is kept', () => {
  for (const code of ['08006', '53300', '57P01', 'ECONNREFUSED', '53100', '53200', '53400']) {
    const fault = storeFault(thrown(code))
    assert.equal(fault.code, 'service_busy', code)
    assert.ok((fault.retryAfterSeconds ?? 0) > 0)
  }
})

test('what the database refuses is a bug of ours, and its values stay out of the log', () => {
  const fault = storeFault(Object.assign(thrown('23505', 'duplicate key'), { detail: 'Key (a)=(secret)' }))
  assert.equal(fault.code, 'internal_error')
  assert.equal(JSON.stringify([fault.message, fault.internal, String(fault.cause)]).includes('secret'), false)
  const own = new Fault('inbox_not_found', { public: 'x' })
  assert.equal(storeFault(own), own)
})
