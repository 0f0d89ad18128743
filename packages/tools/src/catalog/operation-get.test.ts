import { digestOf } from '@postern/access'
import { Fault } from '@postern/core'
import {
  answerOf,
  buildMessage,
  createWriteBench,
  deliverNumbered,
  errorOf,
  startTestDatabase,
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
  ids = await deliverNumbered(bench, 3)
})

after(() => database.close())

type Args = Record<string, unknown>

const get = async (operationId: unknown): Promise<Args> =>
  answerOf(await bench.call('operation_get', { operation_id: operationId }))
const later = (seconds: number): void => {
  bench.now = new Date(bench.now.getTime() + seconds * 1_000)
}

/** An act on the newest message whose answer is lost before it is made. */
async function lost(args: Args): Promise<Args> {
  const [inbox] = bench.inboxes
  const message = inbox?.mailbox.findFolder('INBOX')?.messages.at(-1)
  const folder = inbox?.mailbox.findFolder('INBOX')
  assert.ok(inbox && message && folder)
  const key = Buffer.alloc(16)
  key.writeUInt32BE(folder.epoch, 0)
  key.writeUInt32BE(message.number, 4)
  key.write(message.identity, 8, 'hex')
  const fault = new Fault('provider_unavailable', { public: 'Lost.' })
  inbox.faults = { failingMessages: new Map([[key.toString('hex'), fault]]) }
  const answer = answerOf(await bench.call('email_organize', args))
  inbox.faults = {}
  assert.equal(answer['outcome'], 'unknown')
  return answer
}

/** What another program does with the newest message. */
async function meanwhile(args: Args): Promise<void> {
  answerOf(await bench.call('email_organize', args))
}

test('a write that was made is told by its id, with ids and counts and no word of mail', async () => {
  const args = { action: 'move', message_id: ids[0], destination_folder_id: 'Work' }
  const moved = answerOf(await bench.call('email_organize', args))
  const told = await get(moved['operation_id'])
  assert.deepEqual(
    [told['tool'], told['action'], told['outcome'], told['counts'], told['resolution']],
    [
      'email_organize',
      'move',
      'done',
      { matched: 1, succeeded: 1, unchanged: 0, failed: 0, unknown: 0 },
      null,
    ],
  )
  assert.deepEqual(told['ids'], { destination_folder_id: 'Work' })
  assert.doesNotMatch(JSON.stringify(told), /Number \d|sender\.example/)
})

test('check 182: an operation of another key, and one that never was, are not found in the same words', async () => {
  const args = { action: 'archive', message_id: ids[0] }
  const { operation_id } = answerOf(await bench.call('email_organize', args))
  const foreign = await bench.call('operation_get', { operation_id }, { principalId: 'ak_other' })
  const none = await bench.call('operation_get', { operation_id: 'op_nothing' })
  assert.equal(errorOf(foreign)['error_code'], 'operation_not_found')
  assert.deepEqual(errorOf(foreign), errorOf(none))
})

test('check 117: a move that was lost is told as done once the message is seen at the destination, and can be undone then', async () => {
  const move = { action: 'move', message_id: ids[0], destination_folder_id: 'Work' }
  const answer = await lost(move)
  await meanwhile(move)
  const told = await get(answer['operation_id'])
  assert.deepEqual([told['outcome'], told['counts']], ['done', { succeeded: 1 }])
  assert.equal((told['resolution'] as Args)['method'], 'message_identity')
  assert.equal(told['resolved_at'], bench.now.toISOString())
  const undo = { action: 'undo', operation_id: answer['operation_id'] }
  assert.equal(answerOf(await bench.call('email_organize', undo))['succeeded'], 1)
})

test('what still lies at its source is told as failed, but not while the mail server may be at work on it', async () => {
  const { operation_id: id } = await lost({
    action: 'move',
    message_id: ids[0],
    destination_folder_id: 'Work',
  })
  assert.equal((await get(id))['outcome'], 'unknown')
  later(90)
  assert.equal((await get(id))['outcome'], 'failed')
})

test('a mailbox is asked at most every 30 s, and never changed by it', async () => {
  const { operation_id: id } = await lost({
    action: 'move',
    message_id: ids[0],
    destination_folder_id: 'Work',
  })
  const state = (): string => JSON.stringify(bench.inboxes[0]?.mailbox.folders())
  const before = state()
  const first = ((await get(id))['resolution'] as Args)['checked_at']
  later(29)
  assert.equal(((await get(id))['resolution'] as Args)['checked_at'], first)
  later(1)
  assert.notEqual(((await get(id))['resolution'] as Args)['checked_at'], first)
  assert.equal(state(), before)
})

test('a mark that was lost is told by the marks of the message', async () => {
  const flag = { action: 'flag', message_ids: ids.slice(0, 1), flag_action: 'flag' }
  const { operation_id: id } = await lost(flag)
  await meanwhile(flag)
  assert.equal((await get(id))['outcome'], 'done')
})

test('check 181: a send that was lost is told as sent once its Message-ID is seen in Sent, and stays unknown before', async () => {
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  const { ledger } = bench.deps
  const { principalId, tenantId } = bench.principal()
  const claim = await ledger.claim({
    tenantId,
    principalId,
    operation: 'email_compose.send',
    inboxId: inbox.record.inboxId,
    idempotencyKey: null,
    digest: digestOf({}),
  })
  assert.ok(claim.kind === 'claimed')
  ledger.note(claim.operation, { rfcMessageId: '<lost@home.example>' })
  await ledger.enter(claim.operation, 'data')
  await ledger.settle(claim.operation, { outcome: 'unknown', faultCode: null, result: {} }, [])
  const id = claim.operation.operationId
  assert.equal((await get(id))['outcome'], 'unknown')
  inbox.mailbox.append('Sent', {
    raw: buildMessage({ headers: ['Message-ID: <lost@home.example>'] }),
    receivedAt: bench.now,
  })
  later(31)
  const told = await get(id)
  assert.deepEqual([told['outcome'], (told['resolution'] as Args)['method']], ['sent', 'message_id'])
})
