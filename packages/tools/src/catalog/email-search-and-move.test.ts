import {
  answerOf,
  createWriteBench,
  deliverNumbered,
  errorOf,
  startTestDatabase,
  subjectsIn,
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
  await deliverNumbered(bench, 4)
})

after(() => database.close())

type Args = Record<string, unknown>

const call = (args: Args, as = {}): ReturnType<ToolBench['call']> =>
  bench.call('email_search_and_move', { destination_folder_id: 'Work', ...args }, as)

test('whatever matches is moved, what lies at the destination is skipped, and undo brings it back', async () => {
  const [inbox] = bench.inboxes
  const message = inbox?.mailbox.findFolder('INBOX')?.messages[0]
  assert.ok(inbox && message)
  inbox.mailbox.append('Work', { raw: message.raw, receivedAt: bench.now })
  const args = { subject: 'Number', include_folders: ['INBOX', 'Work'] }
  const answer = answerOf(await call(args))
  assert.deepEqual(
    [answer['matched'], answer['succeeded'], answer['has_more'], answer['destination_folder_id']],
    [4, 4, false, 'Work'],
  )
  assert.deepEqual(
    [answer['complete'], answer['folders_searched'], answer['folders_failed'], answer['degraded']],
    [true, ['INBOX'], [], []],
  )
  assert.equal(answer['matching'], 'substring')
  assert.equal((await subjectsIn(bench, 'Work')).length, 5)
  const undo = (answer['undo'] as { arguments: Args }).arguments
  assert.equal(answerOf(await bench.call('email_organize', undo))['succeeded'], 4)
  assert.equal((await subjectsIn(bench, 'Work')).length, 1)
})

test('check 113: Trash as destination needs delete:email, also for a search', async () => {
  const scopes = ['organize:email', 'search:email']
  const error = errorOf(await call({ subject: 'Number', destination_folder_id: 'trash' }, { scopes }))
  assert.equal(error['error_code'], 'insufficient_scope')
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('check 119: a search that may match everything moves nothing', async () => {
  assert.equal(errorOf(await call({ query: 'in:inbox -from:amy' }))['error_code'], 'empty_filter')
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
})

test('a dry run moves nothing', async () => {
  const shown = answerOf(await call({ subject: 'Number', dry_run: true }))
  assert.deepEqual([shown['dry_run'], shown['matched']], [true, 4])
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
})
