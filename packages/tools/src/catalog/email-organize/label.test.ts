import {
  answerOf,
  createWriteBench,
  deliverNumbered,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
  errorOf,
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

test('labels are added and taken off; a call that names none is refused', async () => {
  const label = async (args: Record<string, unknown>): Promise<unknown[]> => {
    const answer = answerOf(await call({ action: 'label', message_ids: ids.slice(0, 2), ...args }))
    return [answer['outcome'], answer['succeeded'], answer['unchanged']]
  }
  assert.deepEqual(await label({ add_labels: ['Later'] }), ['done', 2, 0])
  assert.deepEqual(await label({ add_labels: ['Later'], remove_labels: ['Never'] }), ['done', 0, 2])
  assert.deepEqual(await label({ remove_labels: ['Later'] }), ['done', 2, 0])
  const error = errorOf(await call({ action: 'label', message_ids: ids.slice(0, 2) }))
  assert.equal(error['error_code'], 'missing_argument')
})
