import {
  buildMessage,
  deliver,
  errorOf,
  octetsIn,
  openMailDesk,
  startTestDatabase,
  type MailDesk,
  type TestDatabase,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import PostalMime from 'postal-mime'

let database: TestDatabase
let desk: MailDesk

before(async () => {
  database = await startTestDatabase()
})

beforeEach(async () => {
  desk = await openMailDesk(database)
})

after(() => database.close())

const original = buildMessage({
  subject: 'Plans',
  to: 'owner@home.example, bob@else.example',
  messageId: '<p1@sender.example>',
})

test('check 160: a draft of an answer has recipients, subject, conversation and quote of the original, marked untrusted', async () => {
  const message_id = await deliver(desk, original)
  const told = await desk.answer('draft', { action: 'reply', message_id, body: 'Yes.', reply_all: true })
  assert.deepEqual(
    [told['outcome'], told['subject'], told['to'], told['untrusted_content']],
    ['done', 'Re: Plans', ['amy@sender.example', 'bob@else.example'], true],
  )
  const mail = await PostalMime.parse(octetsIn(desk.inbox.mailbox, 'Drafts')[0] ?? '')
  assert.deepEqual([mail.inReplyTo, mail.references], ['<p1@sender.example>', '<p1@sender.example>'])
  assert.match(mail.text ?? '', /^Yes\.\s+On .* wrote:\s+> Hello there\./s)
  const { draft } = (await desk.answer('draft_list', { draft_id: told['draft_id'] })) as {
    draft: { reply_to_message_id: string }
  }
  assert.equal(draft.reply_to_message_id, message_id)
})

test('check 148: subject and recipients are refused, naming who takes them, and never ignored', async () => {
  const message_id = await deliver(desk, original)
  for (const args of [
    { subject: 'x' },
    { to: ['x@else.example'] },
    { cc: ['x@else.example'] },
    { bcc: ['x@else.example'] },
  ]) {
    const error = errorOf(await desk.call('draft', { action: 'reply', message_id, body: 'x', ...args }))
    assert.equal(error['error_code'], 'argument_not_allowed')
    assert.match(String(error['message']), /update/)
  }
  assert.equal(octetsIn(desk.inbox.mailbox, 'Drafts').length, 0)
})

test('check 159: needs read:email beside manage:drafts, and says so', async () => {
  const args = { action: 'reply', message_id: 'm_x', body: 'x' }
  const error = errorOf(await desk.call('draft', args, ['manage:drafts']))
  assert.deepEqual((error['details'] as { missing_scopes: string[] }).missing_scopes, ['read:email'])
})
