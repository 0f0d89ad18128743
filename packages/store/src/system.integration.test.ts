import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { findApiKey, listTenants } from './system.ts'
import { issueApiKey } from './issue-api-key.ts'
import { withOwner } from './migrate.ts'

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

test('an operator lists every tenant by pages that lose none and repeat none', async () => {
  const { db } = database
  const made: string[] = []
  for (let index = 0; index < 7; index += 1) made.push(await makeTenant(db))
  const seen: string[] = []
  for (;;) {
    const after = seen.at(-1)
    const page = await listTenants(db, { limit: 3, ...(after === undefined ? {} : { after }) })
    if (page.length === 0) break
    seen.push(...page.map(({ tenantId }) => tenantId))
  }
  assert.deepEqual(seen, made.toSorted())
})

test('a lookup that is none finds nothing, whatever it holds', async () => {
  for (const lookup of ['', 'abcdefghijkl', "' or true; --", '%']) {
    assert.equal(await findApiKey(database.db, lookup), null)
  }
})

test('a scope or a plan of a later release gives no rights and the smallest limits', async () => {
  const { db, keyRing, superuserUrl } = database
  const tenantId = await makeTenant(db)
  const { record } = await issueApiKey(db, keyRing, tenantId, {
    name: 'k',
    scopes: ['read:email'],
    inboxIds: null,
    expiresAt: null,
  })
  await withOwner(superuserUrl, async (client) => {
    await client.query(`update api_keys set scopes = '{read:email,launch:rockets}' where lookup = $1`, [
      record.lookup,
    ])
    await client.query(`update tenants set plan = 'galactic' where tenant_id = $1`, [tenantId])
  })
  const found = await findApiKey(db, record.lookup)
  assert.deepEqual([found?.scopes, found?.plan], [new Set(['read:email']), 'free'])
})
