import {
  answerOf,
  createWriteBench,
  errorOf,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

let database: TestDatabase
let bench: ToolBench

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  bench = await createWriteBench(database)
})

after(() => database.close())

test('who is deleted is told once, with all that was kept, so that nothing is lost by a slip', async () => {
  const { contactId } = bench.people.add({ name: 'Amy', note: 'x'.repeat(5_000) })
  const args = { action: 'delete', contact_id: contactId, idempotency_key: 'k' }
  const answer = answerOf(await bench.call('contact', args))
  assert.equal((answer['removed'] as { note: string }).note.length, 5_000)
  assert.equal(bench.people.cards.length, 0)
  const again = answerOf(await bench.call('contact', args))
  assert.deepEqual([again['outcome'], again['idempotent_replay'], 'removed' in again], ['done', true, false])
})

test('block reaches the book, and is off unless asked for', async () => {
  const asked: boolean[] = []
  const original = bench.people.delete.bind(bench.people)
  bench.people.delete = (scope, id, options) => {
    asked.push(options.blocks)
    return original(scope, id, options)
  }
  for (const block of [undefined, true]) {
    const { contactId } = bench.people.add({ name: 'Amy' })
    answerOf(await bench.call('contact', { action: 'delete', contact_id: contactId, block }))
  }
  assert.deepEqual(asked, [false, true])
})

test('one that is gone is contact_not_found', async () => {
  const error = errorOf(await bench.call('contact', { action: 'delete', contact_id: 'c_9' }))
  assert.equal(error['error_code'], 'contact_not_found')
})
