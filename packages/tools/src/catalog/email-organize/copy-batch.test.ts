import {
  answerOf,
  createWriteBench,
  deliverNumbered,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
  subjectsIn,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

let database: TestDatabase
let bench: ToolBench
let ids: readonly string[]

before(async () => {
  database = await startTestDatabase()
  bench = await createWriteBench(database)
  ids = await deliverNumbered(bench, 12)
})

after(() => database.close())

const call = (args: Record<string, unknown>, as = {}): ReturnType<ToolBench['call']> =>
  bench.call('email_organize', args, as)

test('messages are copied together, each once', async () => {
  const message_ids = [ids[0], ids[1], ids[1]]
  const answer = answerOf(await call({ action: 'copy_batch', message_ids, destination_folder_id: 'Work' }))
  assert.deepEqual([answer['outcome'], answer['succeeded'], answer['results']], ['done', 2, []])
  assert.deepEqual([...(await subjectsIn(bench, 'Work'))].sort(), ['Number 10', 'Number 11'])
})
