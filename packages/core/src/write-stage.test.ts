import assert from 'node:assert/strict'
import { test } from 'node:test'
import { furtherStage, isPastNoReturn, mayEnter, writeStages } from './write-stage.ts'

const revocable = writeStages.filter((stage) => !isPastNoReturn(stage))
const irrevocable = writeStages.filter(isPastNoReturn)

test('the point of no return is the first octet of a message or the first change of a mailbox', () => {
  assert.deepEqual(irrevocable, ['data', 'change', 'sent_copy', 'draft_removal'])
})

test('what may have acted does not become harmless again', () => {
  for (const reached of irrevocable)
    for (const next of revocable) assert.equal(mayEnter(next, reached), false, `${reached} ${next}`)
})

test('a message is begun once, and not by a write that has changed a mailbox', () => {
  for (const reached of irrevocable) assert.equal(mayEnter('data', reached), false, reached)
  for (const reached of revocable) assert.equal(mayEnter('data', reached), true, reached)
})

test('connecting may be tried again, and a mailbox takes any number of commands', () => {
  assert.ok(mayEnter('connect', 'envelope'))
  for (const next of ['change', 'sent_copy', 'draft_removal'] as const)
    for (const reached of writeStages) assert.ok(mayEnter(next, reached))
})

test('a step that is done again does not say that less has been done', () => {
  assert.equal(furtherStage('connect', 'envelope'), 'envelope')
  assert.equal(furtherStage('sent_copy', 'change'), 'sent_copy')
  assert.equal(furtherStage('data', 'data'), 'data')
})
