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

const update = async (args: Record<string, unknown>): ReturnType<ToolBench['call']> =>
  bench.call('contact', { action: 'update', ...args })

test('check 211: what is left out is kept, an empty text clears, and an empty name is refused', async () => {
  const { contactId } = bench.people.add({ name: 'Amy', organization: 'Acme', note: 'tall' })
  const answer = answerOf(await update({ contact_id: contactId, organization: '' }))
  const person = answer['contact'] as Record<string, unknown>
  assert.deepEqual([person['display_name'], person['organization'], person['note']], ['Amy', null, 'tall'])
  assert.equal(errorOf(await update({ contact_id: contactId, name: ' ' }))['error_code'], 'invalid_arguments')
})

test('check 203: a handle that was removed is stale and changes nothing; others keep their entries', async () => {
  const phones = ['1', '2'].map((number, n) => ({ handle: `p${n}`, number, label: null }))
  const { contactId } = bench.people.add({ name: 'Amy', phones })
  answerOf(await update({ contact_id: contactId, removed_phones: ['p0'] }))
  assert.deepEqual(
    bench.people.cards[0]?.phones.map(({ handle, number }) => [handle, number]),
    [['p1', '2']],
  )
  const error = errorOf(await update({ contact_id: contactId, removed_phones: ['p0'], name: 'Eve' }))
  assert.equal(error['error_code'], 'contact_handle_stale')
  assert.equal(bench.people.cards[0]?.name, 'Amy')
})

test('a contact that another key knows is not found, in the words for one that never was', async () => {
  const other = bench.addInbox()
  const own = bench.inboxes[0]?.record.inboxId ?? ''
  const { contactId } = bench.people.add({ name: 'Amy', inboxIds: [other.record.inboxId] })
  const as = { inboxIds: [own] }
  const asked = await Promise.all(
    [contactId, 'c_9'].map(async (contact_id) =>
      errorOf(await bench.call('contact', { action: 'update', contact_id, note: 'x' }, as)),
    ),
  )
  assert.deepEqual(
    asked.map(({ error_code: code }) => code),
    ['contact_not_found', 'contact_not_found'],
  )
  assert.equal(asked[0]?.['message'], asked[1]?.['message'])
})

test('an update that names no field is refused', async () => {
  const { contactId } = bench.people.add({ name: 'Amy' })
  const error = errorOf(await update({ contact_id: contactId, idempotency_key: 'k' }))
  assert.equal(error['error_code'], 'invalid_arguments')
})
