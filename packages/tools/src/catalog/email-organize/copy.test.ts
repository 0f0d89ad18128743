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

test('check 118: a copy repeated with its key is one copy, and the original stays', async () => {
  const args = { action: 'copy', message_id: ids[0], destination_folder_id: 'Work', idempotency_key: 'copy' }
  const first = answerOf(await call(args))
  const second = answerOf(await call(args))
  assert.deepEqual([first['outcome'], second['idempotent_replay']], ['done', true])
  assert.deepEqual(await subjectsIn(bench, 'Work'), ['Number 11'])
  assert.ok((await subjectsIn(bench, 'INBOX')).includes('Number 11'))
})

test('check 180: an equal copy without a key is made, and names the first', async () => {
  const args = { action: 'copy', message_id: ids[1], destination_folder_id: 'Archive' }
  const first = answerOf(await call(args))
  const second = answerOf(await call(args))
  assert.equal('possible_duplicate_of' in first, false)
  assert.equal(second['possible_duplicate_of'], first['operation_id'])
})
