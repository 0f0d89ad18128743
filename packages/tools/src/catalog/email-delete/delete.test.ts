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
let ids: readonly string[]

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  bench = await createWriteBench(database)
  ids = await deliverNumbered(bench, 4)
})

after(() => database.close())

type Args = Record<string, unknown>

const call = (args: Args, as = {}): ReturnType<ToolBench['call']> =>
  bench.call('email_delete', { action: 'delete', message_id: ids[0], ...args }, as)

test('a message goes to Trash, comes back by undo, and is unchanged where it lies in Trash already', async () => {
  const answer = answerOf(await call({}))
  assert.deepEqual([answer['outcome'], answer['succeeded']], ['done', 1])
  assert.deepEqual(await subjectsIn(bench, 'Trash'), ['Number 3'])
  assert.equal(answerOf(await call({}))['unchanged'], 1)
  const undo = (answer['undo'] as { arguments: Args }).arguments
  const alone = await bench.call('email_organize', undo, { scopes: ['organize:email'] })
  assert.equal(errorOf(alone)['error_code'], 'insufficient_scope')
  assert.equal(
    answerOf(await bench.call('email_organize', undo, { scopes: ['delete:email'] }))['succeeded'],
    1,
  )
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('permanent removes for ever and offers no undo', async () => {
  const answer = answerOf(await call({ permanent: true }))
  assert.deepEqual([answer['succeeded'], answer['permanent'], 'undo' in answer], [1, true, false])
  assert.deepEqual(await subjectsIn(bench, 'Trash'), [])
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 3)
  const undo = { action: 'undo', operation_id: answer['operation_id'] }
  const error = errorOf(await bench.call('email_organize', undo))
  assert.equal((error['details'] as Args)['reason'], 'irreversible')
})

test('without delete:email nothing is deleted', async () => {
  const error = errorOf(await call({}, { scopes: ['organize:email', 'read:email'] }))
  assert.equal(error['error_code'], 'insufficient_scope')
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

for (const permanent of [true, false]) {
  test(`an id that lost its place to a move deletes no copy in its stead (${permanent ? 'for ever' : 'to Trash'})`, async () => {
    const [id] = ids
    const to = { message_id: id, destination_folder_id: 'Work' }
    const copied = await bench.call('email_organize', { action: 'copy', ...to })
    assert.equal(answerOf(copied)['succeeded'], 1)
    const moved = answerOf(await bench.call('email_organize', { action: 'move', ...to }))
    const before = await subjectsIn(bench, 'Work')
    assert.equal(before.length, 2)
    const error = errorOf(await call({ permanent }))
    assert.equal(error['error_code'], 'message_not_found')
    assert.deepEqual((error['details'] as Args)['reason'], 'copies')
    assert.deepEqual(await subjectsIn(bench, 'Work'), before)
    const [now] = moved['results'] as readonly Args[]
    const current = { permanent, message_id: now?.['new_message_id'] }
    assert.equal(answerOf(await call(current))['succeeded'], 1)
    assert.equal((await subjectsIn(bench, 'Work')).length, 1)
  })
}

test('an id that lost its place to a move deletes the message where it lies alone', async () => {
  const to = { message_id: ids[0], destination_folder_id: 'Work' }
  assert.equal(answerOf(await bench.call('email_organize', { action: 'move', ...to }))['succeeded'], 1)
  assert.equal(answerOf(await call({ permanent: true }))['succeeded'], 1)
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
})
