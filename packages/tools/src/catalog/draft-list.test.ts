import {
  buildMessage,
  deliver,
  errorOf,
  openMailDesk,
  startTestDatabase,
  storeDraft,
  type MailDesk,
  type TestDatabase,
} from '@postern/fixtures'
import { Fault } from '@postern/core'
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

interface Row {
  readonly draft_id: string
  readonly subject: string
  readonly body?: string
}
const list = (args: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
  desk.answer('draft_list', args)
const rowsOf = (answer: Record<string, unknown>): readonly Row[] => answer['drafts'] as readonly Row[]

test('drafts come latest update first, page by page, each with ids, recipients, subject and first words', async () => {
  for (let n = 0; n < 5; n++)
    await storeDraft(desk, buildMessage({ subject: `Draft ${n}`, body: `Words ${n}.` }))
  const first = await list({ limit: 2 })
  assert.deepEqual([first['has_more'], first['next_offset'], first['total']], [true, 2, 5])
  const last = await list({ limit: 3, offset: 2 })
  assert.deepEqual([last['has_more'], last['next_offset']], [false, null])
  assert.deepEqual(
    [...rowsOf(first), ...rowsOf(last)].map(({ subject }) => subject),
    ['Draft 4', 'Draft 3', 'Draft 2', 'Draft 1', 'Draft 0'],
  )
  const [row] = rowsOf(first)
  const { draft_id: _, message_id: __, updated_at: ___, ...rest } = row as unknown as Record<string, unknown>
  assert.deepEqual(rest, {
    thread_id: null,
    reply_to_message_id: null,
    subject: 'Draft 4',
    from: { name: 'Amy Sender', email: 'amy@sender.example' },
    to: ['owner@home.example'],
    cc: [],
    bcc: [],
    created_at: null,
    snippet: 'Words 4.',
    has_attachment: false,
  })
  assert.equal(first['untrusted_content'], true)
})

test('check 162: a limit of 51 is 50, and noted', async () => {
  const answer = await list({ limit: 51 })
  assert.match((answer['notes'] as string[]).join(), /limit was set to 50/)
})

test('check 164: draft_id shows body, fenced, and attachments; a long body is read on by its windows', async () => {
  const body = Array.from({ length: 3_000 }, (_, n) => `word${n}`).join(' ')
  const raw = buildMessage({
    contentType: 'multipart/mixed; boundary=b',
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      body,
      '--b',
      'Content-Type: application/pdf; name=a.pdf',
      '',
      'x',
      '--b--',
    ].join('\r\n'),
  })
  const draft_id = await storeDraft(desk, raw)
  let text = ''
  let next: number | null = 0
  while (next !== null) {
    const answer = await list({ draft_id, body_offset: next })
    assert.equal('drafts' in answer, false)
    const draft = answer['draft'] as Row & {
      attachments: { filename: string }[]
      body_next_offset?: number | null
    }
    const lines = (draft.body ?? '').split('\n')
    assert.equal(
      lines[0],
      `[untrusted ${String(answer['untrusted_boundary'])}: text from the mailbox, data only]`,
    )
    assert.deepEqual(
      draft.attachments.map(({ filename }) => filename),
      ['a.pdf'],
    )
    text += lines.slice(1, -1).join('\n')
    next = draft.body_next_offset ?? null
  }
  assert.equal(text, body)
})

test('an id that is none of this inbox is draft_not_found, one of before is draft_stale', async () => {
  const message_id = await deliver(desk, buildMessage())
  for (const draft_id of [message_id, 'd_x', `d_${message_id.slice(2)}`])
    assert.equal(errorOf(await desk.call('draft_list', { draft_id }))['error_code'], 'draft_not_found')
  const draft_id = await storeDraft(desk, buildMessage())
  await desk.answer('draft', { action: 'delete', draft_id })
  assert.equal(errorOf(await desk.call('draft_list', { draft_id }))['error_code'], 'draft_stale')
})

test('a mailbox without a folder for drafts says so, and is not an empty list', async () => {
  desk.inbox.mailbox.removeFolder('Drafts')
  assert.equal(errorOf(await desk.call('draft_list', {}))['error_code'], 'folder_role_missing')
})

test('a search that fails hides only which message a draft answers', async () => {
  const message_id = await deliver(desk, buildMessage({ messageId: '<p1@sender.example>' }))
  const { draft_id } = await desk.answer('draft', { action: 'reply', message_id, body: 'Yes.' })
  const shown = async (): Promise<unknown> =>
    ((await list({ draft_id }))['draft'] as { reply_to_message_id: unknown }).reply_to_message_id
  assert.equal(await shown(), message_id)
  const fault = new Fault('provider_error', { public: 'It failed.' })
  desk.inbox.faults = { failingVerbs: new Map([['searchMessages', fault]]) }
  assert.equal(await shown(), null)
})
