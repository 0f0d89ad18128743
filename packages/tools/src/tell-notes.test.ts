import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellNotes } from './tell-notes.ts'

test('notes are at most 20 sentences of 300 characters, each once, cut between characters', () => {
  const many = Array.from({ length: 30 }, (_, n) => `Sentence ${n}.`)
  assert.deepEqual(tellNotes([...many, ...many]), many.slice(0, 20))
  const [long = ''] = tellNotes([`${'x'.repeat(299)}\u{1f468}\u200d\u{1f469}`])
  assert.equal(long, 'x'.repeat(299))
})
