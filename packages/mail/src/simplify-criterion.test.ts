import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Criterion } from './search-query.ts'
import { simplifyCriterion } from './simplify-criterion.ts'

const amy: Criterion = { kind: 'text', field: 'from', value: 'amy' }
const bob: Criterion = { kind: 'text', field: 'from', value: 'bob' }
const inbox: Criterion = { kind: 'folder', folderId: 'INBOX' }
const and = (...of: Criterion[]): Criterion => ({ kind: 'and', of })
const or = (...of: Criterion[]): Criterion => ({ kind: 'or', of })
const not = (of: Criterion): Criterion => ({ kind: 'not', of })
const all: Criterion = { kind: 'all' }
const none: Criterion = { kind: 'none' }

test('a folder test is decided by the folder the search is put to', () => {
  assert.deepEqual(simplifyCriterion(and(inbox, amy), 'INBOX'), amy)
  assert.deepEqual(simplifyCriterion(and(inbox, amy), 'Sent'), none)
  assert.deepEqual(simplifyCriterion(or(inbox, amy), 'INBOX'), all)
  assert.deepEqual(simplifyCriterion(and(not(inbox), amy), 'Sent'), amy)
  assert.deepEqual(simplifyCriterion(and(inbox, amy), null), and(inbox, amy))
})

test('constants, empty groups, double negation and nesting disappear', () => {
  assert.deepEqual(simplifyCriterion(and(), null), all)
  assert.deepEqual(simplifyCriterion(or(), null), none)
  assert.deepEqual(simplifyCriterion(not(not(amy)), null), amy)
  assert.deepEqual(simplifyCriterion(and(amy, and(bob, all)), null), and(amy, bob))
  assert.deepEqual(simplifyCriterion(or(none, or(amy, none)), null), amy)
  assert.deepEqual(simplifyCriterion(not(and(none, amy)), null), all)
  assert.deepEqual(simplifyCriterion(and(or(amy, all), bob), null), bob)
})
