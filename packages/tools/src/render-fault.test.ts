import { Fault, timeoutFault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf } from './budget.ts'
import { renderFault } from './render-fault.ts'

interface ErrorObject {
  readonly message: string
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

function errorOf(fault: Fault, seconds = 0): ErrorObject {
  const result = renderFault(fault, null, { seconds, outcome: null })
  const error = JSON.parse(result.content[0]?.text ?? '') as ErrorObject
  assert.deepEqual(result._meta?.['postern/error'], error)
  return error
}

test('an error stays within 400 tokens: long lists of ids lose their last, and say how many', () => {
  const folder_ids = Array.from({ length: 20 }, (_, n) => `${n} ${'\u4f1a\u8bae'.repeat(60)}`)
  const fault = new Fault('folder_ambiguous', {
    public: 'Several.',
    details: { argument: 'folder', folder_ids },
  })
  const error = errorOf(fault)
  assert.ok(tokensOf(error) <= 400, `${tokensOf(error)} tokens`)
  const kept = error.details?.['folder_ids'] as string[]
  assert.deepEqual(kept, folder_ids.slice(0, kept.length))
  assert.equal(error.details?.['omitted'], 20 - kept.length)
})

test('a timeout tells the time it took, queueing included, and that a read may be repeated', () => {
  const { message, retryable, details } = errorOf(timeoutFault('secret words'), 25)
  assert.match(message, /Nothing was changed.*It took 25 s, waiting included\.$/)
  assert.deepEqual([retryable, details?.['seconds']], [true, 25])
})

test('check 45: the internal text stays out, and a reference stands for it', () => {
  const error = errorOf(new Fault('provider_error', { public: 'It failed.', internal: 'NO secret words' }))
  assert.doesNotMatch(JSON.stringify(error), /secret/)
  assert.match(String(error.details?.['reference']), /^ref_/)
})

test('an error with nothing to add has no details', () => {
  assert.equal('details' in errorOf(new Fault('cursor_expired', { public: 'Old.' })), false)
})
