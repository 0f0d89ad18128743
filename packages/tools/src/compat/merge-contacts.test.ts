import {
  answerOf,
  createWriteBench,
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

test('merge_contacts does what its action of contact does, under the names that other clients send', async () => {
  bench.people.add({ name: 'Kim' })
  bench.people.add({ name: 'Kim Lee' })
  const answer = answerOf(await bench.call('merge_contacts', { contactId: 'c_1', mergeContactIds: ['c_2'] }))
  assert.equal(answer['outcome'], 'done')
  assert.equal(bench.people.cards.length, 1)
})
