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

test('messages are moved together; those that lead nowhere are named, and the rest goes', async () => {
  const answer = answerOf(
    await call({
      action: 'move_batch',
      message_ids: [ids[0], ids[1], 'm_nothing', ids[0]],
      destination_folder_id: 'Work',
    }),
  )
  assert.deepEqual([answer['outcome'], answer['succeeded'], answer['failed']], ['partial', 2, 1])
  assert.deepEqual(answer['results'], [
    { message_id: 'm_nothing', status: 'failed', code: 'message_not_found' },
  ])
  assert.deepEqual([...(await subjectsIn(bench, 'Work'))].sort(), ['Number 10', 'Number 11'])
  const again = answerOf(
    await call({ action: 'move_batch', message_ids: ids.slice(0, 2), destination_folder_id: 'Work' }),
  )
  assert.deepEqual([again['outcome'], again['unchanged']], ['done', 2])
})

test('of many that failed ten are named, and the others counted, in the answer and in operation_get', async () => {
  const bad = Array.from({ length: 15 }, (_, index) => `m_bad${index}`)
  const answer = answerOf(
    await call({ action: 'move_batch', message_ids: [...bad, ids[2]], destination_folder_id: 'Work' }),
  )
  assert.deepEqual(
    [answer['failed'], (answer['results'] as unknown[]).length, answer['results_omitted']],
    [15, 10, 5],
  )
  const told = answerOf(await bench.call('operation_get', { operation_id: answer['operation_id'] }))
  assert.deepEqual(told['counts'], { matched: 16, succeeded: 1, unchanged: 0, failed: 15, unknown: 0 })
})
