import { Fault } from '@postern/core'
import {
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

const base = { action: 'create', subject: 'Lunch', body: 'At noon?' }
const create = (args: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
  desk.answer('draft', { ...base, ...args })
const refusal = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
  errorOf(await desk.call('draft', args))
const stored = (): readonly Uint8Array[] => octetsIn(desk.inbox.mailbox, 'Drafts')

/** What the ledger holds of the write that this is the answer of. */
const rowOf = ({ operation_id: id }: Record<string, unknown>) =>
  desk.bench.deps.ledger.get(desk.bench.principal(), String(id))

test('check 147: without subject or body it is missing_argument; without recipients it is done', async () => {
  for (const [left, name] of [
    [{ action: 'create', body: 'x' }, 'subject'],
    [{ action: 'create', subject: 'x' }, 'body'],
  ] as const) {
    const error = await refusal(left)
    assert.deepEqual(
      [error['error_code'], (error['details'] as { argument: string }).argument, error['outcome']],
      ['missing_argument', name, 'failed'],
    )
  }
  const told = await create()
  assert.deepEqual([told['outcome'], told['to']], ['done', []])
  assert.equal(stored().length, 1)
})

test('check 160 and 163: the answer tells id, subject and recipients, marked untrusted, and a re-read shows them', async () => {
  const told = await create({ to: ['Amy <amy@sender.example>'], bcc: ['eve@else.example'] })
  assert.deepEqual(
    [told['subject'], told['from'], told['to'], told['cc'], told['bcc'], told['untrusted_content']],
    ['Lunch', 'owner@home.example', ['amy@sender.example'], [], ['eve@else.example'], true],
  )
  const { draft } = (await desk.answer('draft_list', { draft_id: told['draft_id'] })) as {
    draft: Record<string, unknown>
  }
  assert.deepEqual(
    [draft['draft_id'], draft['message_id'], draft['subject'], draft['bcc']],
    [told['draft_id'], told['message_id'], 'Lunch', ['eve@else.example']],
  )
  assert.match(String(draft['body']), /\nAt noon\?\n/)
})

test('check 129: an independent parser reads what was written, Bcc included', async () => {
  await create({ to: ['amy@sender.example'], bcc: ['eve@else.example'], html_body: '<p>At <b>noon</b>?</p>' })
  const mail = await PostalMime.parse(stored()[0] ?? '')
  assert.deepEqual(
    mail.bcc?.map(({ address }) => address),
    ['eve@else.example'],
  )
  assert.deepEqual([mail.text?.trim(), mail.html?.trim()], ['At noon?', '<p>At <b>noon</b>?</p>'])
})

test('check 157: repeated with its key it is made once, and the first ids are told', async () => {
  const first = await create({ idempotency_key: 'k' })
  const again = await create({ idempotency_key: 'k' })
  assert.deepEqual(
    [again['draft_id'], again['message_id'], again['idempotent_replay']],
    [first['draft_id'], first['message_id'], true],
  )
  assert.equal('subject' in again, false)
  assert.equal(stored().length, 1)
})

test('check 176: defaults written out, lists and booleans written as text are the same call under its key', async () => {
  const first = await create({ to: ['amy@sender.example'], idempotency_key: 'k' })
  for (const same of [
    { to: ['amy@sender.example'], cc: [], bcc: [], attachments: [], include_signature: true },
    { to: 'amy@sender.example', include_signature: 'true' },
    { recipients: '["amy@sender.example"]', html_body: null },
  ]) {
    const again = await create({ ...same, idempotency_key: 'k' })
    assert.deepEqual([again['draft_id'], again['idempotent_replay']], [first['draft_id'], true])
  }
  assert.equal(stored().length, 1)
  const other = { ...base, to: ['amy@sender.example'], include_signature: false, idempotency_key: 'k' }
  assert.equal((await refusal(other))['error_code'], 'idempotency_conflict')
})

test('check 165: an equal one within ten minutes is made and names the first, an eleventh minute later it does not', async () => {
  const first = await create()
  assert.equal((await create())['possible_duplicate_of'], first['operation_id'])
  desk.bench.now = new Date(desk.bench.now.getTime() + 11 * 60_000)
  assert.equal('possible_duplicate_of' in (await create()), false)
  assert.equal(stored().length, 3)
})

test('check 175: the ledger keeps ids, and no subject, name, address or word', async () => {
  const told = await create({ subject: 'CANARY', body: 'CANARY', to: ['Canary <canary@else.example>'] })
  const row = await rowOf(told)
  assert.match(JSON.stringify(row.result), /draft_id/)
  assert.doesNotMatch(JSON.stringify(row), /canary/i)
})

test('check 156: a subject of 989 characters is stored in lines of at most 998 octets', async () => {
  const subject = `${'\u4f1a'.repeat(489)}${' word'.repeat(100)}`
  assert.equal(subject.length, 989)
  await create({ subject })
  const [raw = new Uint8Array()] = stored()
  const lines = Buffer.from(raw).toString('latin1').split('\r\n')
  assert.ok(Math.max(...lines.map(({ length }) => length)) <= 998)
  assert.equal((await PostalMime.parse(raw)).subject, subject)
})

test('a mailbox that stores nothing is an error that left nothing behind', async () => {
  const fault = new Fault('folder_role_missing', { public: 'No such folder.' })
  desk.inbox.faults = { failingVerbs: new Map([['saveDraft', fault]]) }
  const error = await refusal(base)
  assert.deepEqual(
    [error['error_code'], error['outcome'], (error['details'] as { changed: boolean }).changed],
    ['folder_role_missing', 'failed', false],
  )
})

test('check 162: an action that draft_list has is refused, naming it', async () => {
  const error = await refusal({ action: 'list' })
  assert.equal(error['error_code'], 'invalid_arguments')
  assert.match(String(error['message']), /draft_list/)
})
