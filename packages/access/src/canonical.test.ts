import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson, digestOf, type Json } from './canonical.ts'

test('equal arguments have one text, however they were ordered; what is undefined is not there', () => {
  const one = { b: [1, { y: 'x', x: null }], a: true, c: undefined }
  const other = { a: true, b: [1, { x: null, y: 'x' }] }
  assert.equal(canonicalJson(one), '{"a":true,"b":[1,{"x":null,"y":"x"}]}')
  assert.equal(canonicalJson(one), canonicalJson(other))
})

test('the order of a list, the type of a value and the edges between them are kept apart', () => {
  const values: Json[] = [[1, 2], [2, 1], ['1', 2], ['12'], ['1,2'], { a: [] }, { a: {} }, { a: null }, {}]
  assert.equal(new Set(values.map(canonicalJson)).size, values.length)
})

test('names that objects are born with are only names', () => {
  const value = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as Json
  assert.equal(canonicalJson(value), '{"__proto__":{"x":1},"constructor":2}')
})

test('check 176: the key itself is no part of what is compared', () => {
  assert.deepEqual(
    digestOf({ to: ['a'], idempotency_key: 'one' }),
    digestOf({ to: ['a'], idempotency_key: 'two' }),
  )
  assert.notDeepEqual(digestOf({ to: ['a'] }), digestOf({ to: ['b'] }))
  assert.equal(digestOf({}).length, 32)
})
