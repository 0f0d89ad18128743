import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quote } from './fault.ts'

test('a quoted value is one short line, whatever was sent', () => {
  assert.equal(quote('a\nb\u202ec'), '"a b c"')
  assert.equal(quote({ a: 1, b: [2, 3] }), '"{"a":1,"b":"..."}"')
  assert.equal(quote([1, 'x']), '"[1,"x"]"')
  assert.equal(quote(undefined), '"undefined"')
  assert.equal(quote('x'.repeat(1_000_000)), `"${'x'.repeat(80)}..."`)
  let deep: unknown = 1
  for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]
  assert.equal(quote(deep), '"["..."]"')
})
