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
import { Fault } from '@postern/core'
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
  bench.call('email_delete', { action: 'search_and_delete', ...args }, as)
const codeOf = async (args: Args): Promise<unknown> => errorOf(await call(args))['error_code']

test('check 119: filters that may match everything are refused, and nothing is deleted', async () => {
  const tomorrow = new Date(bench.now.getTime() + 86_400_000).toISOString()
  for (const filters of [
    {},
    { query: 'in:inbox' },
    { query: '-from:amy' },
    { query: 'ALL' },
    { query: 'from:amy OR in:inbox' },
    { before: tomorrow },
    { text: '*' },
    { has_attachment: false },
  ])
    for (const dry_run of [false, true])
      assert.equal(await codeOf({ ...filters, dry_run }), 'empty_filter', JSON.stringify(filters))
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('check 120: of more matches than the limit the newest are deleted, and the same call goes on', async () => {
  const args = { subject: 'Number', limit: 3 }
  const first = answerOf(await call(args))
  assert.deepEqual([first['matched'], first['succeeded'], first['has_more']], [4, 3, true])
  assert.deepEqual(await subjectsIn(bench, 'INBOX'), ['Number 0'])
  const second = answerOf(await call(args))
  assert.deepEqual([second['matched'], second['succeeded'], second['has_more']], [1, 1, false])
  const third = answerOf(await call(args))
  assert.deepEqual([third['outcome'], third['matched'], 'undo' in third], ['done', 0, false])
})

test('check 121: a folder that cannot be read refuses the whole, and nothing is deleted in any', async () => {
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.faults = { failingFolders: new Map([['Work', new Fault('provider_error', { public: 'No.' })]]) }
  assert.equal(await codeOf({ subject: 'Number', include_folders: ['INBOX', 'Work'] }), 'search_incomplete')
  inbox.faults = {}
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('INBOX alone is searched unless folders are named', async () => {
  const [inbox] = bench.inboxes
  const ref = inbox?.mailbox.findFolder('INBOX')?.messages[0]
  assert.ok(inbox && ref)
  inbox.mailbox.append('Work', { raw: ref.raw, receivedAt: bench.now })
  const answer = answerOf(await call({ subject: 'Number' }))
  assert.deepEqual([answer['matched'], answer['folders_searched']], [4, ['INBOX']])
  assert.equal((await subjectsIn(bench, 'Work')).length, 1)
})

test('a dry run tells what matches, with five marked rows, changes nothing and leaves the key unused', async () => {
  await deliverNumbered(bench, 4)
  const args = { subject: 'Number', idempotency_key: 'one' }
  const shown = answerOf(await call({ ...args, dry_run: true }))
  assert.deepEqual(
    [shown['dry_run'], shown['matched'], shown['untrusted_content'], 'operation_id' in shown],
    [true, 8, true, false],
  )
  assert.equal((shown['sample'] as unknown[]).length, 5)
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 8)
  assert.equal(answerOf(await call(args))['succeeded'], 8)
})

test('what a search deleted is brought back by its undo', async () => {
  const answer = answerOf(await call({ subject: 'Number' }))
  const undo = (answer['undo'] as { arguments: Args }).arguments
  assert.equal(answerOf(await bench.call('email_organize', undo))['succeeded'], 4)
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('check 180: of fifty equal calls at once with one key one deletes', async () => {
  const args = { subject: 'Number', limit: 1, idempotency_key: 'fifty' }
  await Promise.all(Array.from({ length: 50 }, () => call(args)))
  assert.equal((await subjectsIn(bench, 'Trash')).length, 1)
})

test('a key that may delete but neither read nor search is refused', async () => {
  const error = errorOf(await call({ subject: 'Number' }, { scopes: ['delete:email'] }))
  assert.equal(error['error_code'], 'insufficient_scope')
})
