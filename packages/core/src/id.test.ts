import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, newId, newUuid, randomBase62 } from './id.ts'

test('ids never repeat, however many octets were fetched ahead', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('x'))
  assert.equal(new Set(ids).size, ids.length)
  assert.match(ids[0] ?? '', /^x_[0-9A-Za-z]{20}$/)
})

test('every character is as likely as any other', () => {
  const counts = new Map<string, number>()
  for (const character of randomBase62(124_000)) counts.set(character, (counts.get(character) ?? 0) + 1)
  assert.equal(counts.size, 62)
  for (const count of counts.values()) assert.ok(count > 1_700 && count < 2_300)
})

test('a UUID is told from what only looks like one', () => {
  assert.ok(isUuid(newUuid()))
  for (const text of [
    '',
    newUuid().slice(1),
    `${newUuid()}0`,
    newUuid().replaceAll('-', ''),
    `g${newUuid().slice(1)}`,
  ]) {
    assert.equal(isUuid(text), false)
  }
})
