import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allScopes, generateApiKey, type Scope } from '@postern/access'
import { Fault, newUuid, silentLog } from '@postern/core'
import { makeInbox, makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createKeyRing, generateKey } from '@postern/vault'
import { listApiKeys, revokeApiKey } from './api-keys.ts'
import { authenticateApiKey } from './authenticate-api-key.ts'
import { openDatabase } from './database.ts'
import { createInboxDirectory } from './inboxes.ts'
import { issueApiKey } from './issue-api-key.ts'
import { createKeyUses } from './key-uses.ts'
import { withOwner } from './migrate.ts'
import { withTenant } from './tenant.ts'
import { setTenantStatus } from './tenants.ts'

const now = new Date('2026-11-30T12:00:00Z')

let database: TestDatabase
let tenantId = ''

before(async () => {
  database = await startTestDatabase()
  tenantId = await makeTenant(database.db, 'pro')
})

after(() => database.close())

interface Wish {
  readonly scopes?: readonly Scope[]
  readonly inboxIds?: readonly string[] | null
  readonly expiresAt?: Date | null
  readonly tenant?: string
}

async function issue(wish: Wish = {}): Promise<{ key: string; apiKeyId: string }> {
  const { key, record } = await issueApiKey(database.db, database.keyRing, wish.tenant ?? tenantId, {
    name: 'test',
    scopes: wish.scopes ?? ['read:email'],
    inboxIds: wish.inboxIds ?? null,
    expiresAt: wish.expiresAt ?? null,
  })
  return { key, apiKeyId: record.apiKeyId }
}

const authenticate = (key: string, at = now): ReturnType<typeof authenticateApiKey> =>
  authenticateApiKey(database.db, database.keyRing, key, at)

async function refusal(key: string, at = now): Promise<Fault> {
  const error: unknown = await authenticate(key, at).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Fault)
  assert.equal(error.code, 'unauthenticated')
  return error
}

test('a key is its tenant, its grant and its plan', async () => {
  const { inboxId } = await makeInbox(database.db, tenantId)
  const expiresAt = new Date('2026-12-31T00:00:00Z')
  const { key, apiKeyId } = await issue({ scopes: allScopes, inboxIds: [inboxId.toUpperCase()], expiresAt })
  assert.deepEqual(await authenticate(key), {
    kind: 'api_key',
    principalId: apiKeyId,
    tenantId,
    plan: 'pro',
    grant: { scopes: new Set(allScopes), inboxIds: [inboxId], expiresAt },
  })
})

test('a revoked key fails on the very next call of every process (check 5)', async () => {
  const { db, keyRing, ownerUrl } = database
  const elsewhere = await openDatabase({ url: ownerUrl, keyRing, maxConnections: 1 })
  try {
    const { key, apiKeyId } = await issue()
    await authenticate(key)
    await authenticateApiKey(elsewhere, keyRing, key, now)
    await withTenant(db, tenantId, (trx) => revokeApiKey(trx, apiKeyId, now))
    await refusal(key)
    await assert.rejects(authenticateApiKey(elsewhere, keyRing, key, now), /revoked/)
  } finally {
    await elsewhere.close()
  }
})

test('revoking twice keeps the first time, and an unknown key cannot be revoked', async () => {
  const { db } = database
  const { apiKeyId } = await issue()
  const later = new Date(now.getTime() + 60_000)
  await withTenant(db, tenantId, (trx) => revokeApiKey(trx, apiKeyId, now))
  await withTenant(db, tenantId, (trx) => revokeApiKey(trx, apiKeyId, later))
  const keys = await withTenant(db, tenantId, (trx) => listApiKeys(trx, { limit: 1_000 }))
  assert.deepEqual(keys.find((key) => key.apiKeyId === apiKeyId)?.revokedAt, now)
  await assert.rejects(
    withTenant(db, tenantId, (trx) => revokeApiKey(trx, 'key_unknown', now)),
    (error: unknown) => error instanceof Fault && error.code === 'invalid_arguments',
  )
})

test('a key ends at its expiry, not a millisecond later', async () => {
  const expiresAt = new Date(now.getTime() + 1)
  const { key } = await issue({ expiresAt })
  await authenticate(key, now)
  assert.match((await refusal(key, expiresAt)).message, /expired/)
})

test('the keys of a suspended tenant are refused, and work again afterwards', async () => {
  const { db } = database
  const tenant = await makeTenant(db)
  const { key } = await issue({ tenant })
  await withTenant(db, tenant, (trx) => setTenantStatus(trx, 'suspended'))
  assert.match((await refusal(key)).message, /suspended/)
  await withTenant(db, tenant, (trx) => setTenantStatus(trx, 'active'))
  await authenticate(key)
})

test('every refusal reads the same, whatever was wrong', async () => {
  const revoked = await issue()
  await withTenant(database.db, tenantId, (trx) => revokeApiKey(trx, revoked.apiKeyId, now))
  const { key: expired } = await issue({ expiresAt: now })
  const { key: right } = await issue()
  const forged = generateApiKey()
  const wrongSecret = forged.key
  const tokens = [
    '',
    'Bearer x',
    'pst_live_short',
    `${right}x`,
    right.slice(0, -1),
    wrongSecret,
    revoked.key,
    expired,
  ]
  const refusals = await Promise.all(tokens.map((token) => refusal(token)))
  assert.equal(new Set(refusals.map((fault) => fault.public)).size, 1)
  assert.equal(
    refusals.some((fault) => JSON.stringify(fault.details) !== '{}'),
    false,
  )
})

test('the right lookup with another secret is refused', async () => {
  const { key } = await issue()
  const other = generateApiKey()
  await withOwner(database.superuserUrl, (client) =>
    client.query('update api_keys set lookup = $1 where lookup = $2', [other.lookup, key.slice(9, 21)]),
  )
  assert.match((await refusal(other.key)).message, /wrong secret/)
})

test('no list and no row holds the secret of a key', async () => {
  const { key } = await issue()
  const secret = key.slice(22, 54)
  const keys = await withTenant(database.db, tenantId, (trx) => listApiKeys(trx, { limit: 1_000 }))
  assert.equal(JSON.stringify(keys).includes(secret), false)
  const rows = await withOwner(
    database.superuserUrl,
    async (client) =>
      (
        await client.query<{ row: string; hash: string }>(
          `select to_json(k)::text as row, encode(secret_hmac, 'escape') as hash from api_keys k`,
        )
      ).rows,
  )
  assert.ok(rows.length > 0)
  assert.equal(JSON.stringify(rows).includes(secret), false)
})

test('keys outlive a rotation of the secret keys as long as the old one is listed', async () => {
  const { key } = await issue()
  const rotated = createKeyRing(`${generateKey()},${ringText()}`)
  const { principalId } = await authenticateApiKey(database.db, rotated, key, now)
  assert.match(principalId, /^key_/)
  const dropped = createKeyRing(generateKey())
  await assert.rejects(authenticateApiKey(database.db, dropped, key, now), /which the ring lacks/)
})

/** The key ring of this test database, in its text form. */
function ringText(): string {
  return database.secretKeys
}

test('an empty allow-list reaches nothing, and null reaches also what is connected later (check 6)', async () => {
  const { db } = database
  const tenant = await makeTenant(db)
  const first = await makeInbox(db, tenant)
  const directory = createInboxDirectory(db)
  const reach = async (key: string): Promise<readonly string[]> =>
    (await directory.listInboxes(await authenticate(key))).map(({ inboxId }) => inboxId).toSorted()
  const none = await issue({ tenant, inboxIds: [] })
  const all = await issue({ tenant, inboxIds: null })
  const one = await issue({ tenant, inboxIds: [first.inboxId] })
  assert.deepEqual(await reach(none.key), [])
  assert.deepEqual(await reach(all.key), [first.inboxId])
  const second = await makeInbox(db, tenant)
  assert.deepEqual(await reach(none.key), [])
  assert.deepEqual(await reach(all.key), [first.inboxId, second.inboxId].toSorted())
  assert.deepEqual(await reach(one.key), [first.inboxId])
})

test('a key cannot be made for an inbox that is not there', async () => {
  await assert.rejects(
    issue({ inboxIds: [newUuid()] }),
    (error: unknown) => error instanceof Fault && error.code === 'inbox_not_found',
  )
})

test('the last use of a key is noted, and never set back', async () => {
  const { db } = database
  const { apiKeyId } = await issue()
  const uses = createKeyUses(db, silentLog)
  const lastUse = async (): Promise<Date | null | undefined> => {
    await uses.flush()
    const keys = await withTenant(db, tenantId, (trx) => listApiKeys(trx, { limit: 1_000 }))
    return keys.find((key) => key.apiKeyId === apiKeyId)?.lastUsedAt
  }
  assert.equal(await lastUse(), null)
  uses.add(tenantId, apiKeyId, now)
  assert.deepEqual(await lastUse(), now)
  uses.add(tenantId, apiKeyId, new Date(now.getTime() - 1_000))
  assert.deepEqual(await lastUse(), now)
  await uses.close()
})

test('keys are listed by pages that lose none and repeat none', async () => {
  const { db } = database
  const tenant = await makeTenant(db)
  const made = await Promise.all(Array.from({ length: 7 }, () => issue({ tenant })))
  const seen: string[] = []
  let after: string | undefined
  do {
    const from = after
    const page = await withTenant(db, tenant, (trx) =>
      listApiKeys(trx, { limit: 3, ...(from === undefined ? {} : { after: from }) }),
    )
    seen.push(...page.map(({ apiKeyId }) => apiKeyId))
    after = page.at(-1)?.apiKeyId
  } while (after !== undefined)
  assert.deepEqual(seen.toSorted(), made.map(({ apiKeyId }) => apiKeyId).toSorted())
  assert.equal(new Set(seen).size, 7)
})
