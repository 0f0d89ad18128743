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

test('marks are set and cleared, and what was so already is unchanged', async () => {
  const flag = async (flag_action: string): Promise<unknown[]> => {
    const answer = answerOf(await call({ action: 'flag', message_ids: ids.slice(0, 3), flag_action }))
    return [answer['outcome'], answer['succeeded'], answer['unchanged']]
  }
  assert.deepEqual(await flag('read'), ['done', 3, 0])
  assert.deepEqual(await flag('read'), ['done', 0, 3])
  assert.deepEqual(await flag('flag'), ['done', 3, 0])
  const { count } = answerOf(await bench.call('email_read', { action: 'count', flagged: true }))
  assert.equal(count, 3)
  assert.deepEqual(await flag('unread'), ['done', 3, 0])
  assert.deepEqual(await flag('unflag'), ['done', 3, 0])
})

test('a key that may only read changes no mark', async () => {
  const result = await call(
    { action: 'flag', message_ids: ids.slice(0, 1), flag_action: 'read' },
    { scopes: ['read:email'] },
  )
  assert.equal(errorOf(result)['error_code'], 'insufficient_scope')
})

test('500 ids are taken and 501 refused, on a change and on a deletion', async () => {
  const ids = Array.from({ length: 501 }, (_, index) => `m_${index}`)
  for (const [tool, args] of [
    ['email_organize', { action: 'flag', flag_action: 'read' }],
    ['email_delete', { action: 'delete_batch' }],
  ] as const) {
    const most = errorOf(await bench.call(tool, { ...args, message_ids: ids.slice(1) }))
    assert.equal(most['error_code'], 'message_not_found', tool)
    assert.equal(
      errorOf(await bench.call(tool, { ...args, message_ids: ids }))['error_code'],
      'invalid_arguments',
    )
  }
})
