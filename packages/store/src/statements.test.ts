import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build, compileOnce, toDriver } from './statements.ts'

const byLookup = compileOnce(build.selectFrom('api_keys').select('api_key_id').where('lookup', '=', ''))

test('a compiled query takes its parameters per call and refuses another number of them', () => {
  assert.deepEqual(byLookup('a').parameters, ['a'])
  assert.deepEqual(byLookup('b').parameters, ['b'])
  assert.equal(byLookup('a').sql, byLookup('b').sql)
  assert.throws(() => byLookup(), RangeError)
  assert.throws(() => byLookup('a', 'b'), RangeError)
})

test('equal text is prepared under one name, other text under another', () => {
  assert.equal(toDriver(byLookup('a')).name, toDriver(byLookup('b')).name)
  assert.notEqual(toDriver(byLookup('a')).name, toDriver({ sql: 'select 1', parameters: [] }).name)
})

test('a name fits what the server keeps of one', () => {
  const { name } = toDriver({ sql: 'select 2', parameters: [] })
  assert.ok(name !== undefined && Buffer.byteLength(name) < 64)
})

test('the number of prepared statements is bounded', () => {
  for (let index = 0; index < 1_000; index += 1) toDriver({ sql: `select ${String(index)}`, parameters: [] })
  assert.equal(toDriver({ sql: 'select one more', parameters: [] }).name, undefined)
  assert.ok(toDriver(byLookup('a')).name)
})
