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

const call = (args: Args, as = {}): ReturnType<ToolBench['call']> => bench.call('email_organize', args, as)
const done = async (args: Args): Promise<Args> => answerOf(await call(args))
/** The call that the answer of a write names. */
const undoOf = (answer: Args): Args => (answer['undo'] as { arguments: Args }).arguments
const reasonOf = (error: Args): unknown => (error['details'] as Args)['reason']
const move = (count = 2): Promise<Args> =>
  done({ action: 'move_batch', message_ids: ids.slice(0, count), destination_folder_id: 'Work' })
const marksOf = async (): Promise<readonly unknown[]> => {
  const { messages } = answerOf(await bench.call('email_read', { action: 'list' })) as { messages: Args[] }
  return messages.map(({ unread, flagged }) => [unread ?? false, flagged ?? false])
}

test('check 116: a move is undone by the call that its answer names, and the messages are back', async () => {
  const answer = await move()
  assert.deepEqual(answer['undo'], {
    tool: 'email_organize',
    arguments: { action: 'undo', operation_id: answer['operation_id'] },
  })
  assert.deepEqual(await subjectsIn(bench, 'INBOX'), ['Number 1', 'Number 0'])
  const undone = await done(undoOf(answer))
  assert.deepEqual([undone['outcome'], undone['succeeded'], 'undo' in undone], ['done', 2, false])
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
  assert.equal((await subjectsIn(bench, 'INBOX')).length, 4)
})

test('a message goes back to where it lay, not to where its id was made', async () => {
  await done({ action: 'move', message_id: ids[0], destination_folder_id: 'Work' })
  const archived = await done({ action: 'archive', message_id: ids[0] })
  await done(undoOf(archived))
  assert.deepEqual(await subjectsIn(bench, 'Work'), ['Number 3'])
})

test('what was moved on since is left alone and listed', async () => {
  const answer = await move()
  await done({ action: 'move', message_id: ids[0], destination_folder_id: 'Archive' })
  const undone = await done(undoOf(answer))
  assert.deepEqual([undone['succeeded'], undone['unchanged']], [1, 1])
  assert.equal((undone['results'] as Args[])[0]?.['code'], 'changed_since')
  assert.deepEqual(await subjectsIn(bench, 'Archive'), ['Number 3'])
})

test('of flags only those are taken back that were set, and those that were taken back since stay', async () => {
  await done({ action: 'flag', message_ids: ids.slice(0, 1), flag_action: 'read' })
  const answer = await done({ action: 'flag', message_ids: ids.slice(0, 3), flag_action: 'read' })
  await done({ action: 'flag', message_ids: ids.slice(1, 2), flag_action: 'unread' })
  const undone = await done(undoOf(answer))
  assert.deepEqual([undone['succeeded'], undone['unchanged']], [1, 1])
  assert.deepEqual(await marksOf(), [
    [false, false],
    [true, false],
    [true, false],
    [true, false],
  ])
})

test('of labels only those are taken back that a message did not have', async () => {
  const [one, two] = ids
  const labels = (): readonly unknown[] =>
    bench.inboxes[0]?.mailbox.findFolder('INBOX')?.messages.map(({ keywords }) => [...keywords]) ?? []
  await done({ action: 'label', message_ids: [one], add_labels: ['Old'] })
  const before = labels()
  const answer = await done({
    action: 'label',
    message_ids: [one, two],
    add_labels: ['old', 'New'],
    remove_labels: ['Never'],
  })
  assert.notDeepEqual(labels(), before)
  await done(undoOf(answer))
  assert.deepEqual(labels(), before)
})

test('an undo is made once, whatever number of calls ask for it at the same time', async () => {
  const answer = await move()
  const results = await Promise.all(Array.from({ length: 5 }, () => call(undoOf(answer))))
  assert.equal(results.filter(({ isError }) => isError !== true).length, 1)
  const refused = errorOf(await call(undoOf(answer)))
  assert.deepEqual([refused['error_code'], reasonOf(refused)], ['invalid_arguments', 'already_undone'])
})

test('an undo that came to nothing may be tried again', async () => {
  const answer = await move()
  const without = errorOf(await call(undoOf(answer), { scopes: ['delete:email'] }))
  assert.equal(without['error_code'], 'insufficient_scope')
  assert.equal((await done(undoOf(answer)))['succeeded'], 2)
})

test('what cannot be undone is refused with the reason: a copy, what changed nothing, what is older than a day', async () => {
  const refused = async (operationId: unknown): Promise<unknown> =>
    reasonOf(errorOf(await call({ action: 'undo', operation_id: operationId })))
  const copy = await done({ action: 'copy', message_id: ids[0], destination_folder_id: 'Work' })
  assert.equal('undo' in copy, false)
  assert.equal(await refused(copy['operation_id']), 'irreversible')
  const idle = await done({ action: 'flag', message_ids: ids, flag_action: 'unread' })
  assert.equal('undo' in idle, false)
  assert.equal(await refused(idle['operation_id']), 'irreversible')
  const answer = await move()
  bench.now = new Date(bench.now.getTime() + 24 * 3_600_000)
  assert.equal(await refused(answer['operation_id']), 'too_old')
})

test('another key that may still do the act undoes it; one that does not reach the inbox finds no operation', async () => {
  const answer = await move()
  const other = bench.addInbox()
  const stranger = { principalId: 'ak_other', inboxIds: [other.record.inboxId] }
  assert.equal(errorOf(await call(undoOf(answer), stranger))['error_code'], 'operation_not_found')
  const colleague = { principalId: 'ak_other', inboxIds: [bench.inboxes[0]?.record.inboxId ?? ''] }
  assert.equal(answerOf(await call(undoOf(answer), colleague))['succeeded'], 2)
})

test('what lies in Trash is brought back by who may throw away only', async () => {
  const answer = await done({ action: 'move', message_id: ids[0], destination_folder_id: 'trash' })
  const refused = errorOf(await call(undoOf(answer), { scopes: ['organize:email'] }))
  assert.equal(refused['error_code'], 'insufficient_scope')
  assert.equal((await done(undoOf(answer)))['succeeded'], 1)
})

test('check 180: of fifty calls at once with one key one acts, and all are told of it', async () => {
  const args = { action: 'archive', message_ids: ids, idempotency_key: 'fifty' }
  const results = await Promise.all(Array.from({ length: 50 }, () => call(args)))
  const codes = new Set(
    results.filter(({ isError }) => isError === true).map((one) => errorOf(one)['error_code']),
  )
  assert.deepEqual(
    [...codes].filter((code) => code !== 'operation_in_progress'),
    [],
  )
  const answers = results.filter(({ isError }) => isError !== true).map(answerOf)
  assert.equal(new Set(answers.map(({ operation_id: id }) => id)).size, 1)
  assert.equal(answers.filter((answer) => !('idempotent_replay' in answer)).length, 1)
  assert.equal((await subjectsIn(bench, 'Archive')).length, 4)
})

test('more messages than a verb is given at once are moved and brought back', async () => {
  await deliverNumbered(bench, 126)
  const page = async (offset: number): Promise<readonly string[]> => {
    const listed = answerOf(await bench.call('email_read', { action: 'list', limit: 100, offset }))
    return (listed['messages'] as { message_id: string }[]).map(({ message_id: id }) => id)
  }
  const message_ids = [...(await page(0)), ...(await page(100))]
  const answer = await done({ action: 'move_batch', message_ids, destination_folder_id: 'Work' })
  assert.deepEqual([message_ids.length, answer['succeeded']], [130, 130])
  assert.equal((await done(undoOf(answer)))['succeeded'], 130)
  assert.deepEqual(await subjectsIn(bench, 'Work'), [])
})
