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
})

after(() => database.close())

type Args = Record<string, unknown>

const call = (args: Args, as = {}): ReturnType<ToolBench['call']> => bench.call('folder', args, as)
const paths = (): readonly string[] =>
  bench.inboxes[0]?.mailbox.folders().map(({ path }) => String(path)) ?? []

test('check 68: a folder that holds mail is deleted by who may delete mail only', async () => {
  const [id] = await deliverNumbered(bench, 1)
  answerOf(
    await bench.call('email_organize', { action: 'move', message_id: id, destination_folder_id: 'Work' }),
  )
  const error = errorOf(await call({ action: 'delete', folder_id: 'Work' }, { scopes: ['manage:folders'] }))
  assert.equal(error['error_code'], 'insufficient_scope')
  assert.deepEqual(await subjectsIn(bench, 'Work'), ['Number 0'])
  assert.equal(answerOf(await call({ action: 'delete', folder_id: 'Work' }))['outcome'], 'done')
  assert.equal(paths().includes('Work'), false)
})

test('an empty folder needs no more than manage:folders; one with a role or with folders below stays', async () => {
  const as = { scopes: ['manage:folders'] }
  answerOf(await call({ action: 'create', name: 'Work/Lease' }))
  for (const folder_id of ['Work', 'INBOX', 'Trash']) {
    const error = errorOf(await call({ action: 'delete', folder_id }))
    assert.equal(error['error_code'], 'folder_name_reserved', folder_id)
  }
  assert.equal(answerOf(await call({ action: 'delete', folder_id: 'Work/Lease' }, as))['outcome'], 'done')
})
