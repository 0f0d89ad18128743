import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireNarrowing } from './narrowing.ts'
import type { Criterion } from './search-query.ts'

const now = new Date('2026-11-16T12:00:00Z')
const from: Criterion = { kind: 'text', field: 'from', value: 'amy' }
const inbox: Criterion = { kind: 'folder', folderId: 'INBOX' }
const not = (of: Criterion): Criterion => ({ kind: 'not', of })
const text = (value: string): Criterion => ({ kind: 'text', field: 'text', value })

function isRefused(criterion: Criterion): boolean {
  try {
    requireNarrowing({ criterion, folderIds: ['INBOX', 'Work'] }, now)
    return false
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'empty_filter')
    return true
  }
}

test('check 119: what can exclude nothing, or next to nothing, is refused', () => {
  const empty: readonly Criterion[] = [
    { kind: 'all' },
    inbox,
    not(from),
    not({ kind: 'attachment' }),
    { kind: 'before', at: new Date('2026-11-17T12:00:00Z') },
    { kind: 'since', at: new Date('1970-06-01') },
    { kind: 'larger', bytes: 1 },
    { kind: 'smaller', bytes: 1_000_000_000 },
    ...['*', ' ', '@', '.', 'ALL'].map(text),
    { kind: 'or', of: [from, inbox] },
    { kind: 'or', of: [from, not(from)] },
    { kind: 'and', of: [inbox, not(from)] },
    not({ kind: 'and', of: [from, not(inbox)] }),
  ]
  for (const criterion of empty) assert.ok(isRefused(criterion), JSON.stringify(criterion))
})

test('one criterion that narrows is enough, in each folder that is searched', () => {
  const narrow: readonly Criterion[] = [
    from,
    { kind: 'and', of: [inbox, from] },
    { kind: 'or', of: [from, { kind: 'attachment' }] },
    { kind: 'flag', flag: 'seen', isSet: false },
    { kind: 'before', at: now },
    { kind: 'since', at: new Date('2026-01-01') },
    { kind: 'larger', bytes: 2 },
    not(not(from)),
    text('all'),
  ]
  for (const criterion of narrow) assert.equal(isRefused(criterion), false, JSON.stringify(criterion))
})
