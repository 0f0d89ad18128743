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

test('update_contact does what its action of contact does, under the names that other clients send', async () => {
  bench.people.add({ name: 'Kim' })
  const answer = answerOf(
    await bench.call('update_contact', { contactId: 'c_1', addedPhones: [{ number: '7' }] }),
  )
  assert.equal(answer['outcome'], 'done')
  assert.equal(bench.people.cards[0]?.phones[0]?.number, '7')
})
