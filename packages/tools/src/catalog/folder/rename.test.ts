import {
  answerOf,
  createWriteBench,
  deliverNumbered,
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

type Args = Record<string, unknown>

const call = (args: Args, as = {}): ReturnType<ToolBench['call']> => bench.call('folder', args, as)

test('a renamed folder has a new id, and the ids of its messages go on working', async () => {
  const [id] = await deliverNumbered(bench, 1)
  const move = { action: 'move', message_id: id, destination_folder_id: 'Work' }
  answerOf(await bench.call('email_organize', move))
  const answer = answerOf(await call({ action: 'rename', folder_id: 'Work', new_name: 'Projects' }))
  assert.deepEqual([answer['folder_id'], answer['previous_folder_id']], ['Projects', 'Work'])
  const read = answerOf(await bench.call('email_read', { action: 'read', message_id: id }))
  assert.equal(read['folder_id'], 'Projects')
})
