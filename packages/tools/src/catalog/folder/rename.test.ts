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

test('check 157: renamed again with its key after a lost answer, a folder is renamed once and its new id told', async () => {
  const rename = { action: 'rename', folder_id: 'Work', new_name: 'Projects', idempotency_key: 'k' }
  const first = answerOf(await call(rename))
  const again = answerOf(await call(rename))
  assert.deepEqual(
    [again['outcome'], again['folder_id'], again['operation_id'], again['idempotent_replay']],
    ['done', first['folder_id'], first['operation_id'], true],
  )
})
