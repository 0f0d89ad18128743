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

const create = async (args: Record<string, unknown>): ReturnType<ToolBench['call']> =>
  bench.call('contact', { action: 'create', ...args })

test('a person is created with what the owner says, and told as they are', async () => {
  const answer = answerOf(
    await create({
      name: 'Amy Ro',
      emails: ['amy@ACME.example'],
      birthday: '--02-29',
      phones: [{ number: '+39 1', label: 'home' }],
      postal_addresses: [{ city: 'Rome', postalCode: '00100' }],
      roles: ['lawyer'],
    }),
  )
  const person = answer['contact'] as Record<string, unknown>
  assert.equal(answer['outcome'], 'done')
  assert.deepEqual(
    [person['source'], person['email_address'], person['address_confidence'], person['relationship']],
    ['authored', 'amy@acme.example', 'high', 'none'],
  )
  assert.deepEqual(person['phones'], [{ handle: 'p0', number: '+39 1', label: 'home' }])
  const [place] = person['postal_addresses'] as Record<string, unknown>[]
  assert.deepEqual([place?.['handle'], place?.['postal_code']], ['a0', '00100'])
})

test("an address that is somebody's already is contact_conflict, with the id of that contact", async () => {
  const first = answerOf(await create({ name: 'Amy', emails: ['amy@acme.example'] }))
  const error = errorOf(await create({ name: 'Other', emails: ['AMY@acme.example'] }))
  assert.equal(error['error_code'], 'contact_conflict')
  assert.equal((error['details'] as Record<string, unknown>)['contact_id'], first['contact_id'])
  assert.equal(error['outcome'] ?? (error['details'] as Record<string, unknown>)['outcome'], 'failed')
})

test('twenty equal calls at once with one key make one person, and a replay tells its id and nothing of it', async () => {
  const args = { name: 'Amy Ro', emails: ['amy@acme.example'], idempotency_key: 'once' }
  await Promise.all(Array.from({ length: 20 }, () => create(args)))
  assert.equal(bench.people.cards.length, 1)
  const again = answerOf(await create(args))
  assert.deepEqual(
    [again['idempotent_replay'], again['contact_id'], 'contact' in again],
    [true, bench.people.cards[0]?.contactId, false],
  )
  const looked = answerOf(await bench.call('operation_get', { operation_id: again['operation_id'] }))
  assert.equal(looked['outcome'], 'done')
  assert.doesNotMatch(JSON.stringify([again, looked]), /amy/i)
})

test('a birthday that is no day and an address that is none are refused before anything is kept', async () => {
  for (const args of [
    { name: 'A', birthday: '2026-02-30' },
    { name: 'A', birthday: '3 May' },
    { name: 'A', emails: ['nobody'] },
  ])
    assert.equal(errorOf(await create(args))['error_code'], 'invalid_arguments')
  assert.equal(bench.people.cards.length, 0)
})

test('an inbox is the home of a person only where it is named', async () => {
  const inboxId = bench.inboxes[0]?.record.inboxId
  answerOf(await create({ name: 'Everywhere' }))
  const answer = answerOf(await create({ name: 'There', inbox_id: inboxId }))
  assert.equal(answer['inbox_id'], inboxId)
  assert.deepEqual(
    bench.people.cards.map(({ inboxIds }) => inboxIds),
    [[], [inboxId]],
  )
})

test('however much is kept of a person, the answer stays within 800 tokens and says that it was cut', async () => {
  const emails = Array.from({ length: 20 }, (_, n) => `amy.with.a.long.name${n}@department.acme.example`)
  const result = await create({ name: 'Amy', emails, note: 'x'.repeat(5_000) })
  assert.ok((result.content[0]?.text.length ?? 0) / 4 <= 800)
  assert.equal(answerOf(result)['truncated'], true)
})
