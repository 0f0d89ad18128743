import {
  answerOf,
  createWriteBench,
  deliverNumbered,
  startTestDatabase,
  type TestDatabase,
  type ToolBench,
  errorOf,
  subjectsIn,
  buildMessage,
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

test('check 114: one message or several go to the folder with the role archive', async () => {
  const one = answerOf(await call({ action: 'archive', message_id: ids[0] }))
  assert.deepEqual([one['outcome'], one['succeeded']], ['done', 1])
  const many = answerOf(await call({ action: 'archive', message_ids: ids.slice(1, 3) }))
  assert.deepEqual([many['outcome'], many['succeeded']], ['done', 2])
  assert.deepEqual([...(await subjectsIn(bench, 'Archive'))].sort(), ['Number 10', 'Number 11', 'Number 9'])
})

test('check 114: without such a folder it is folder_role_missing; both or neither id argument is refused', async () => {
  const other = bench.addInbox()
  other.mailbox.append('INBOX', { raw: buildMessage(), receivedAt: bench.now })
  const { messages } = answerOf(
    await bench.call('email_read', { action: 'list', inbox_id: other.record.inboxId }),
  ) as { messages: { message_id: string }[] }
  const missing = await call({
    action: 'archive',
    message_id: messages[0]?.message_id,
    inbox_id: other.record.inboxId,
  })
  assert.equal(errorOf(missing)['error_code'], 'folder_role_missing')
  const inbox_id = bench.inboxes[0]?.record.inboxId
  assert.equal(errorOf(await call({ action: 'archive', inbox_id }))['error_code'], 'missing_argument')
  const both = await call({ action: 'archive', inbox_id, message_id: ids[3], message_ids: [ids[4]] })
  assert.equal(errorOf(both)['error_code'], 'conflicting_arguments')
})
