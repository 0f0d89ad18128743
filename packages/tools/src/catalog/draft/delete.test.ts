import {
  buildMessage,
  deliver,
  errorOf,
  octetsIn,
  openMailDesk,
  startTestDatabase,
  storeDraft,
  type MailDesk,
  type TestDatabase,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database)
})

after(() => database.close())

test('discards that draft, and nothing else; a second time it is stale', async () => {
  await storeDraft(desk, buildMessage({ subject: 'Keep' }))
  const draft_id = await storeDraft(desk, buildMessage({ subject: 'Drop' }))
  const told = await desk.answer('draft', { action: 'delete', draft_id })
  assert.deepEqual([told['outcome'], told['draft_id']], ['done', draft_id])
  const left = octetsIn(desk.inbox.mailbox, 'Drafts').map((raw) => Buffer.from(raw).toString())
  assert.equal(left.length, 1)
  assert.match(left[0] ?? '', /Subject: Keep/)
  const error = errorOf(await desk.call('draft', { action: 'delete', draft_id }))
  assert.deepEqual([error['error_code'], error['outcome']], ['draft_stale', 'failed'])
})

test('the id of a message, of another inbox and of nothing is no draft_id: draft_not_found, in the same words', async () => {
  const message_id = await deliver(desk, buildMessage())
  const asDraft = `d_${message_id.slice(2)}`
  const foreign = await storeDraft(await openMailDesk(database), buildMessage())
  const texts = new Set<string>()
  for (const draft_id of [message_id, asDraft, foreign, 'd_nothing']) {
    const error = errorOf(await desk.call('draft', { action: 'delete', draft_id }))
    assert.equal(error['error_code'], 'draft_not_found')
    texts.add(String(error['message']).replace(/"[^"]*"/, ''))
  }
  assert.equal(texts.size, 1)
  assert.equal(octetsIn(desk.inbox.mailbox, 'INBOX').length, 1)
})

test('the id of a draft of another inbox of the key names that inbox', async () => {
  const second = desk.bench.addInbox({ tenantId: desk.inbox.record.tenantId })
  const draft_id = await storeDraft(desk, buildMessage())
  const args = { action: 'delete', draft_id, inbox_id: second.record.inboxId }
  const error = errorOf(await desk.bench.call('draft', args))
  assert.equal(error['error_code'], 'inbox_mismatch')
  assert.equal((error['details'] as { inbox_id: string }).inbox_id, desk.inbox.record.inboxId)
})
