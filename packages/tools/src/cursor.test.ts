import type { Signer } from '@postern/core'
import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { type CursorBinding, type CursorState, openCursor, sealCursor } from './cursor.ts'

const now = new Date('2026-11-16T12:00:00Z')
const binding: CursorBinding = { principalId: 'ak_1', operation: 'email_read.search', inboxIds: ['b', 'a'] }
const defaults = { folder: 'INBOX', unread_only: false }
const anchor = { receivedAt: new Date('2026-11-01T00:00:00Z'), tie: '0a'.repeat(26), rank: 7 }

function signerOf(key: string): Signer {
  const sign = (data: Uint8Array): Uint8Array => createHmac('sha256', key).update(data).digest()
  return { sign, verifies: (data, mac) => Buffer.from(sign(data)).subarray(0, mac.length).equals(mac) }
}
const signer = signerOf('secret')

function sealed(filters: CursorState['filters']): string {
  return sealCursor(signer, binding, { filters, now, anchor, position: 20 }, now)
}

function opened(
  cursor: string,
  given: CursorState['filters'] = {},
  { bound = binding, at = now }: { bound?: CursorBinding; at?: Date } = {},
): CursorState | string {
  try {
    return openCursor(signer, bound, cursor, { given, defaults, now: at })
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

test('a cursor gives back filters, instant, place and anchor, whichever order the inboxes are named in', () => {
  const state = { filters: { from: 'amy' }, now, anchor, position: 20 }
  assert.deepEqual(opened(sealed({ from: 'amy' })), state)
  assert.deepEqual(
    opened(sealed({ from: 'amy' }), { from: 'amy' }, { bound: { ...binding, inboxIds: ['a', 'b'] } }),
    state,
  )
})

test('check 42: a cursor is good for its key, its inboxes and its action alone', () => {
  const cursor = sealed({})
  for (const other of [{ principalId: 'ak_2' }, { operation: 'email_read.list' }, { inboxIds: ['a'] }]) {
    assert.equal(opened(cursor, {}, { bound: { ...binding, ...other } }), 'cursor_invalid')
  }
})

test('check 42: no character of a cursor can be changed, left out or added', () => {
  const cursor = sealed({ from: 'amy' })
  for (let at = 0; at < cursor.length; at++) {
    const other = cursor[at] === 'A' ? 'B' : 'A'
    const changed = `${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`
    assert.equal(opened(changed), 'cursor_invalid', changed)
  }
  for (const changed of [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}.`, '', '.', 'x.y'])
    assert.equal(opened(changed), 'cursor_invalid', changed)
})

test('check 42: a cursor is good for 24 hours', () => {
  const cursor = sealed({})
  const after = (ms: number): CursorState | string => opened(cursor, {}, { at: new Date(now.getTime() + ms) })
  assert.notEqual(after(24 * 3_600_000), 'cursor_expired')
  assert.equal(after(24 * 3_600_000 + 1), 'cursor_expired')
})

test('check 42: a filter beside a cursor is equal, or says no more than leaving it out did', () => {
  assert.notEqual(opened(sealed({}), { folder: 'INBOX', unread_only: false }), 'cursor_invalid')
  assert.notEqual(opened(sealed({ folder: 'Sent' }), { folder: 'Sent' }), 'cursor_invalid')
  assert.equal(opened(sealed({}), { folder: 'Sent' }), 'cursor_invalid')
  assert.equal(opened(sealed({ folder: 'Sent' }), { folder: 'INBOX' }), 'cursor_invalid')
  assert.equal(opened(sealed({}), { constructor: 'x' }), 'cursor_invalid')
})

test('filters too long to carry make no longer cursor: they are given again, and must be equal', () => {
  const filters = { include_folders: Array.from({ length: 50 }, (_, n) => `${n} ${'long '.repeat(100)}`) }
  const cursor = sealed(filters)
  assert.ok(cursor.length < 400, `${cursor.length} characters`)
  const state = opened(cursor, { ...filters, folder: 'INBOX' })
  assert.ok(typeof state === 'object')
  assert.deepEqual(state.filters, filters)
  assert.equal(opened(cursor), 'cursor_invalid')
  assert.equal(opened(cursor, { include_folders: filters.include_folders.slice(1) }), 'cursor_invalid')
})

test('a cursor is short, and never longer than the argument that takes it', () => {
  assert.ok(sealed({ query: 'from:amy newer_than:7d' }).length < 260)
  assert.ok(sealed({ query: '\u4f1a'.repeat(600) }).length <= 4_000)
})
