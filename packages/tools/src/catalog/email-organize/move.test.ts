import { Fault } from '@postern/core'
import {
  answerOf,
  createToolBench,
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

test('a message is moved, named by its new id, and its old id goes on working', async () => {
  const answer = answerOf(await call({ action: 'move', message_id: ids[0], destination_folder_id: 'Work' }))
  assert.deepEqual(
    [answer['outcome'], answer['succeeded'], answer['destination_folder_id']],
    ['done', 1, 'Work'],
  )
  assert.match(String(answer['operation_id']), /^op_/)
  const [result] = answer['results'] as { status: string; new_message_id: string }[]
  for (const message_id of [ids[0], result?.new_message_id]) {
    const read = answerOf(await bench.call('email_read', { action: 'read', message_id }))
    assert.deepEqual([read['folder_id'], read['subject']], ['Work', 'Number 11'])
  }
})

test('two ids for one message are refused with the batch action, as a write that changed nothing', async () => {
  const error = errorOf(
    await call({ action: 'move', message_ids: ['m_1', 'm_2'], destination_folder_id: 'Work' }),
  )
  assert.deepEqual(
    [error['error_code'], error['outcome'], (error['details'] as { use: string }).use],
    ['argument_not_allowed', 'failed', 'move_batch'],
  )
  assert.deepEqual(bench.events.map(({ operation, effect }) => [operation, effect]).at(-1), [
    'email_organize.move',
    'write',
  ])
})

test('check 113: Trash and Spam, however they are spelled, need delete:email', async () => {
  for (const destination_folder_id of ['Trash', 'trash', 'spam', 'Spam', 'junk', 'TRASH']) {
    const result = await call(
      { action: 'move', message_id: ids[1], destination_folder_id },
      { scopes: ['organize:email', 'read:email'] },
    )
    const error = errorOf(result)
    assert.deepEqual(
      [error['error_code'], (error['details'] as { changed: boolean }).changed],
      ['insufficient_scope', false],
    )
  }
  assert.ok((await subjectsIn(bench, 'INBOX')).includes('Number 10'))
  const allowed = await call(
    { action: 'move', message_id: ids[1], destination_folder_id: 'trash' },
    { scopes: ['organize:email', 'delete:email'] },
  )
  assert.equal(answerOf(allowed)['outcome'], 'done')
})

test('check 173, 175 and 180: repeated with its key a move is made once and tells the first ids; with other arguments it is a conflict', async () => {
  const args = { action: 'move', message_id: ids[2], destination_folder_id: 'Work', idempotency_key: 'once' }
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => call(args)))
  const made = [first, ...others].filter((one) => one?.isError !== true)
  assert.ok(made.length >= 1)
  const again = answerOf(await call(args))
  assert.equal(again['idempotent_replay'], true)
  for (const one of made) assert.equal(one?.structuredContent?.['operation_id'], again['operation_id'])
  for (const one of others.filter((other) => other.isError === true))
    assert.equal(errorOf(one)['error_code'], 'operation_in_progress')
  assert.equal((await subjectsIn(bench, 'Work')).filter((subject) => subject === 'Number 9').length, 1)
  const other = await call({ ...args, destination_folder_id: 'Archive' })
  assert.equal(errorOf(other)['error_code'], 'idempotency_conflict')
})

test('what nobody knows is unknown, says that it must not be repeated, and is never made again', async () => {
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  const args = { action: 'move', message_id: ids[3], destination_folder_id: 'Work', idempotency_key: 'lost' }
  const messages = inbox.mailbox
    .folders()
    .flatMap((folder) => folder.messages.map((message) => ({ folder, message })))
  const target = messages.find(({ message }) => Buffer.from(message.raw).includes('Number 8'))
  assert.ok(target)
  const key = Buffer.alloc(16)
  key.writeUInt32BE(target.folder.epoch, 0)
  key.writeUInt32BE(target.message.number, 4)
  key.write(target.message.identity, 8, 'hex')
  inbox.faults = {
    failingMessages: new Map([[key.toString('hex'), new Fault('provider_unavailable', { public: 'Lost.' })]]),
  }
  const answer = answerOf(await call(args))
  assert.deepEqual([answer['outcome'], answer['retry']], ['unknown', 'never'])
  inbox.faults = {}
  const again = answerOf(await call(args))
  assert.deepEqual([again['outcome'], again['idempotent_replay']], ['unknown', true])
  assert.ok((await subjectsIn(bench, 'INBOX')).includes('Number 8'))
})

test('a ledger that cannot be written stops the call before it acts', async () => {
  const blind = createToolBench()
  blind.inboxes[0]?.mailbox.addFolder({ path: 'Work' })
  blind.inboxes[0]?.mailbox.append('INBOX', { raw: buildMessage(), receivedAt: blind.now })
  const { messages } = answerOf(await blind.call('email_read', { action: 'list' })) as {
    messages: { message_id: string }[]
  }
  const result = await blind.call('email_organize', {
    action: 'move',
    message_id: messages[0]?.message_id,
    destination_folder_id: 'Work',
  })
  assert.equal(errorOf(result)['error_code'], 'service_busy')
  const { total } = answerOf(await blind.call('email_read', { action: 'list' }))
  assert.equal(total, 1)
})

test('an id that leads nowhere and a folder that is not there are errors that changed nothing', async () => {
  const gone = errorOf(await call({ action: 'move', message_id: 'm_nothing', destination_folder_id: 'Work' }))
  assert.deepEqual(
    [gone['error_code'], (gone['details'] as { changed: boolean }).changed],
    ['message_not_found', false],
  )
  const nowhere = errorOf(
    await call({ action: 'move', message_id: ids[5], destination_folder_id: 'Nowhere' }),
  )
  assert.equal(nowhere['error_code'], 'folder_not_found')
})
