import {
  answerOf,
  createWriteBench,
  errorOf,
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
const paths = (): readonly string[] =>
  bench.inboxes[0]?.mailbox.folders().map(({ path }) => String(path)) ?? []

test('check 67: a path is made with the parents it lacks, and a folder below a named one', async () => {
  const answer = answerOf(await call({ action: 'create', name: 'a/b/c' }))
  assert.deepEqual([answer['outcome'], answer['folder_id'], answer['name']], ['done', 'a/b/c', 'c'])
  assert.ok(['a', 'a/b', 'a/b/c'].every((path) => paths().includes(path)))
  const below = answerOf(await call({ action: 'create', name: 'Lease', parent_folder_id: 'Work' }))
  assert.equal(below['folder_id'], 'Work/Lease')
})

test('check 66: a name that is there already is refused with its id; a reserved one with the reason', async () => {
  const taken = errorOf(await call({ action: 'create', name: 'Work' }))
  assert.equal(taken['error_code'], 'folder_name_taken')
  assert.match(JSON.stringify(taken['details']), /Work/)
})

test('check 180: of twenty equal calls at once with one key one folder comes', async () => {
  const args = { action: 'create', name: 'Once', idempotency_key: 'once' }
  const results = await Promise.all(Array.from({ length: 20 }, () => call(args)))
  const codes = results.filter(({ isError }) => isError === true).map((one) => errorOf(one)['error_code'])
  assert.ok(
    codes.every((code) => code === 'operation_in_progress'),
    codes.join(),
  )
  assert.equal(answerOf(await call(args))['idempotent_replay'], true)
  assert.equal(paths().filter((path) => path === 'Once').length, 1)
})
