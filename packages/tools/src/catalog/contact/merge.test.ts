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

test('check 212: a merge tells what conflicted and every record that it removed', async () => {
  const kept = bench.people.add({ name: 'Amy Ro', organization: 'Acme' }, [{ spelling: 'amy@acme.example' }])
  const other = bench.people.add({ name: 'A. Ro', organization: 'Bcme', note: 'tall' }, [
    { spelling: 'amy@home.example' },
  ])
  const args = { action: 'merge', contact_id: kept.contactId, merge_contact_ids: [other.contactId] }
  const answer = answerOf(await bench.call('contact', args))
  assert.deepEqual(answer['conflicts'], [{ field: 'organization', kept: 'Acme', other: 'Bcme' }])
  const [removed] = answer['removed'] as Record<string, unknown>[]
  assert.deepEqual([removed?.['contact_id'], removed?.['note']], [other.contactId, 'tall'])
  assert.equal((answer['contact'] as Record<string, unknown>)['other_addresses'], 1)
  assert.equal(bench.people.cards.length, 1)
})

test('one that is not there leaves both as they were', async () => {
  const kept = bench.people.add({ name: 'Amy Ro' })
  const args = { action: 'merge', contact_id: kept.contactId, merge_contact_ids: ['c_9'] }
  assert.equal(errorOf(await bench.call('contact', args))['error_code'], 'contact_not_found')
  assert.equal(bench.people.cards.length, 1)
})
