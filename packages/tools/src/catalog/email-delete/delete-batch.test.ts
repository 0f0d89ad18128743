import {
  answerOf,
  createWriteBench,
  deliverNumbered,
  startTestDatabase,
  subjectsIn,
  type TestDatabase,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

let database: TestDatabase
let bench: ToolBench
let ids: readonly string[]

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  bench = await createWriteBench(database)
  ids = await deliverNumbered(bench, 4)
})

after(() => database.close())

test('messages are deleted together, and an id that leads nowhere fails alone', async () => {
  const message_ids = [...ids.slice(0, 3), 'm_nothing']
  const answer = answerOf(await bench.call('email_delete', { action: 'delete_batch', message_ids }))
  assert.deepEqual([answer['outcome'], answer['succeeded'], answer['failed']], ['partial', 3, 1])
  assert.equal((await subjectsIn(bench, 'Trash')).length, 3)
})

test('two ids of one message delete it once, and both are answered for', async () => {
  const move = { action: 'move', message_id: ids[0], destination_folder_id: 'Work' }
  const moved = answerOf(await bench.call('email_organize', move))
  const [result] = moved['results'] as { new_message_id: string }[]
  const message_ids = [ids[0], result?.new_message_id]
  const args = { action: 'delete_batch', message_ids, permanent: true }
  const answer = answerOf(await bench.call('email_delete', args))
  assert.deepEqual([answer['outcome'], answer['succeeded'], answer['failed']], ['done', 2, 0])
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 3)
})
