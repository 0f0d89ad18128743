import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Fault, newUuid, silentLog } from '@postern/core'
import { makeInbox, makePrincipal, makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { createInboxEvents } from './inbox-events.ts'
import {
  addInbox,
  createInboxDirectory,
  getInbox,
  listInboxes,
  maxInboxes,
  removeInbox,
  setInbox,
  setInboxStatus,
} from './inboxes.ts'
import { withTenant } from './tenant.ts'

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

const faulty =
  (code: string, reason?: string) =>
  (error: unknown): boolean =>
    error instanceof Fault &&
    error.code === code &&
    (reason === undefined || error.details['reason'] === reason)

test('an inbox comes back as it was added, with defaults for what was not said', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const inboxId = newUuid()
  const added = await withTenant(db, tenantId, (trx) =>
    addInbox(trx, {
      inboxId,
      provider: 'imap',
      emailAddress: 'Ada@Example.test',
      service: 'fastmail',
      displayName: 'Ada "the" Countess \u{1F4EE}',
      aliases: ['A.Lovelace@Example.test'],
      timezone: 'Europe/London',
      folderRoles: { archive: 'Stuff "here"', __proto__x: 'kept' },
      authservIds: ['MX.Example.test'],
    }),
  )
  const { createdAt, ...rest } = added
  assert.deepEqual(rest, {
    inboxId,
    tenantId,
    provider: 'imap',
    service: 'fastmail',
    emailAddress: 'Ada@Example.test',
    displayName: 'Ada "the" Countess \u{1F4EE}',
    aliases: ['a.lovelace@example.test'],
    status: 'connected',
    statusReason: null,
    timezone: 'Europe/London',
    language: 'en',
    folderRoles: { archive: 'Stuff "here"', __proto__x: 'kept' },
    authservIds: ['mx.example.test'],
    credentialVersion: 0,
    lastSyncAt: null,
    lastEventAt: null,
  })
  assert.ok(Math.abs(createdAt.getTime() - Date.now()) < 60_000)
  assert.deepEqual(await withTenant(db, tenantId, (trx) => getInbox(trx, inboxId)), added)
})

test('one address is connected once per tenant, whatever its case, and freely by another tenant', async () => {
  const { db } = database
  const [one, two] = [await makeTenant(db), await makeTenant(db)]
  await makeInbox(db, one, { emailAddress: 'same@example.test' })
  await assert.rejects(
    makeInbox(db, one, { emailAddress: 'SAME@example.test' }),
    faulty('invalid_arguments', 'address_taken'),
  )
  await makeInbox(db, two, { emailAddress: 'same@example.test' })
})

test('a change touches what it names and nothing else', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const inbox = await makeInbox(db, tenantId, { displayName: 'Ada', language: 'sv' })
  const changed = await withTenant(db, tenantId, (trx) =>
    setInbox(trx, inbox.inboxId, { timezone: 'Europe/Stockholm', displayName: null }),
  )
  assert.deepEqual(changed, { ...inbox, timezone: 'Europe/Stockholm', displayName: null })
  assert.deepEqual(await withTenant(db, tenantId, (trx) => setInbox(trx, inbox.inboxId, {})), changed)
})

test('a late failure of an old credential does not disturb a reconnected inbox', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const { inboxId, credentialVersion } = await makeInbox(db, tenantId)
  const mark = (version: number): Promise<boolean> =>
    withTenant(db, tenantId, (trx) =>
      setInboxStatus(trx, inboxId, {
        status: 'reconnect_required',
        reason: 'ours',
        credentialVersion: version,
      }),
    )
  assert.equal(await mark(credentialVersion - 1), false)
  assert.equal((await withTenant(db, tenantId, (trx) => getInbox(trx, inboxId))).status, 'connected')
  assert.equal(await mark(credentialVersion), true)
  const marked = await withTenant(db, tenantId, (trx) => getInbox(trx, inboxId))
  assert.deepEqual([marked.status, marked.statusReason], ['reconnect_required', 'ours'])
})

test('inboxes are listed most recently active first, the never active last, then by id', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const made = await Promise.all(Array.from({ length: 4 }, () => makeInbox(db, tenantId)))
  const [a, b, ...quiet] = made.map(({ inboxId }) => inboxId)
  assert.ok(a !== undefined && b !== undefined)
  const events = createInboxEvents(db, silentLog)
  events.add(tenantId, a, new Date('2026-01-01T00:00:00Z'))
  events.add(tenantId, b, new Date('2026-01-02T00:00:00Z'))
  await events.flush()
  // An older time that arrives later changes nothing.
  events.add(tenantId, b, new Date('2025-01-01T00:00:00Z'))
  await events.close()
  const expected = [b, a, ...quiet.toSorted()]
  const listed = await createInboxDirectory(db).listInboxes(makePrincipal({ tenantId }))
  assert.deepEqual(
    listed.map(({ inboxId }) => inboxId),
    expected,
  )
  assert.deepEqual(listed, await withTenant(db, tenantId, listInboxes))
})

test('a grant reaches the inboxes that it names and that exist (check 6)', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const [one, two] = [await makeInbox(db, tenantId), await makeInbox(db, tenantId)]
  const directory = createInboxDirectory(db)
  const reach = async (inboxIds: readonly string[] | null): Promise<readonly string[]> => {
    const principal = makePrincipal({ tenantId })
    const listed = await directory.listInboxes({ ...principal, grant: { ...principal.grant, inboxIds } })
    return listed.map(({ inboxId }) => inboxId).toSorted()
  }
  assert.deepEqual(await reach(null), [one.inboxId, two.inboxId].toSorted())
  assert.deepEqual(await reach([two.inboxId, newUuid()]), [two.inboxId])
  assert.deepEqual(await reach([]), [])
})

test('a removed inbox is gone, and cannot be removed again', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  const { inboxId } = await makeInbox(db, tenantId)
  await withTenant(db, tenantId, (trx) => removeInbox(trx, inboxId))
  assert.deepEqual(await withTenant(db, tenantId, listInboxes), [])
  await assert.rejects(
    withTenant(db, tenantId, (trx) => removeInbox(trx, inboxId)),
    faulty('inbox_not_found'),
  )
})

test('a tenant can have as many inboxes as a list holds, and no more', async () => {
  const { db } = database
  const tenantId = await makeTenant(db)
  await withTenant(db, tenantId, async (trx) => {
    const rows = Array.from({ length: maxInboxes }, (_, index) => ({
      tenant_id: tenantId,
      inbox_id: newUuid(),
      provider: 'imap',
      email_address: `${String(index)}@example.test`,
    }))
    await trx.insertInto('inboxes').values(rows).execute()
  })
  assert.equal((await withTenant(db, tenantId, listInboxes)).length, maxInboxes)
  await assert.rejects(makeInbox(db, tenantId), faulty('invalid_arguments'))
})
