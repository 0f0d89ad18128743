import assert from 'node:assert/strict'
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { Fault, newUuid } from '@postern/core'
import { makeInbox, makePrincipal, makeTenant, startTestDatabase, type TestDatabase } from '@postern/fixtures'
import { sql, type Transaction } from 'kysely'
import { openDatabase, pingDatabase } from './database.ts'
import { createInboxDirectory, getInbox, listInboxes, setInbox } from './inboxes.ts'
import { withOwner } from './migrate.ts'
import type { DB } from './schema.ts'
import { withTenant, type TenantTrx } from './tenant.ts'

let database: TestDatabase
let tenantId = ''

before(async () => {
  database = await startTestDatabase()
  tenantId = await makeTenant(database.db)
})

after(() => database.close())

const faulty =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === code

async function endBackends(): Promise<void> {
  await withOwner(database.superuserUrl, (client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    ),
  )
}

test('what was done before a throw is undone, and the throw arrives as it was', async () => {
  const { inboxId } = await makeInbox(database.db, tenantId)
  const cause = new Fault('inbox_disabled', { public: 'ours' })
  await assert.rejects(
    withTenant(database.db, tenantId, async (trx) => {
      await setInbox(trx, inboxId, { displayName: 'half done' })
      throw cause
    }),
    (error: unknown) => error === cause,
  )
  const inbox = await withTenant(database.db, tenantId, (trx) => getInbox(trx, inboxId))
  assert.equal(inbox.displayName, null)
})

test('a statement that failed cannot be overlooked: the transaction does not pass for committed', async () => {
  await assert.rejects(
    withTenant(database.db, tenantId, async (trx) => {
      await sql`select 1 / 0`.execute(trx).catch(() => undefined)
    }),
    faulty('internal_error'),
  )
  // and the connection serves the next one
  await withTenant(database.db, tenantId, listInboxes)
})

test('a transaction that has ended takes no more statements', async () => {
  let kept: TenantTrx | undefined
  await withTenant(database.db, tenantId, async (trx) => {
    kept = trx
    await listInboxes(trx)
  })
  assert.ok(kept)
  await assert.rejects(listInboxes(kept), /has ended/)
})

test('a tenant id that is no UUID reaches no statement', async () => {
  for (const id of ['', "x'; drop table tenants; --", `${newUuid()}'`]) {
    await assert.rejects(withTenant(database.db, id, listInboxes), faulty('internal_error'))
  }
})

test('many tenants at once on few connections each see their own rows (check 16)', async () => {
  const { db } = database
  const tenants = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const id = await makeTenant(db)
      const { inboxId } = await makeInbox(db, id)
      return { id, inboxId }
    }),
  )
  const directory = createInboxDirectory(db)
  const calls = Array.from({ length: 600 }, async (_, index) => {
    const { id, inboxId } = tenants[index % tenants.length] ?? { id: '', inboxId: '' }
    const inboxes =
      index % 3 === 0
        ? await withTenant(db, id, listInboxes)
        : await directory.listInboxes(makePrincipal({ tenantId: id }))
    assert.deepEqual(
      inboxes.map((inbox) => inbox.inboxId),
      [inboxId],
    )
  })
  await Promise.all(calls)
})

test('a read that fails does not disturb those behind it on the same connection', async () => {
  const { db } = database
  const directory = createInboxDirectory(db)
  const { inboxId } = await makeInbox(db, tenantId)
  const good = (): Promise<unknown> => directory.listInboxes(makePrincipal({ tenantId, inboxIds: [inboxId] }))
  const bad = (): Promise<unknown> =>
    directory.listInboxes(makePrincipal({ tenantId, inboxIds: ['not a uuid'] }))
  const results = await Promise.allSettled([good(), bad(), good(), bad(), good(), good()])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
})

test('connections that the server ends cost the calls under way and no later one', async () => {
  const { db } = database
  await withTenant(db, tenantId, listInboxes)
  await pingDatabase(db)
  const interrupted = withTenant(db, tenantId, async (trx) => {
    await listInboxes(trx)
    await endBackends()
    return listInboxes(trx)
  })
  await assert.rejects(interrupted, faulty('service_busy'))
  await withTenant(db, tenantId, listInboxes)
  await createInboxDirectory(db).listInboxes(makePrincipal({ tenantId }))
  await pingDatabase(db)
})

test('a connection that has gone silent is given up, and the next call gets a new one', async () => {
  const sockets = new Set<Socket>()
  const relay = createServer((near) => {
    const far = createConnection(Number(new URL(database.ownerUrl).port), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => (near.destroy(), far.destroy()))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const url = new URL(database.ownerUrl)
  url.port = String((relay.address() as AddressInfo).port)
  const db = await openDatabase({ url: url.href, keyRing: database.keyRing, answerSeconds: 0.5 })
  try {
    const read = (): Promise<unknown> => createInboxDirectory(db).listInboxes(makePrincipal({ tenantId }))
    const write = (): Promise<unknown> => withTenant(db, tenantId, listInboxes)
    // Both lanes and a connection of the pool.
    await Promise.all([read(), read(), write()])
    for (const socket of sockets) socket.pause()
    const results = await Promise.allSettled([read(), read(), write()])
    for (const result of results) {
      assert.equal(result.status, 'rejected')
      assert.ok(faulty('service_busy')(result.reason))
    }
    await Promise.all([read(), read(), write()])
  } finally {
    await db.close()
    relay.close()
    for (const socket of sockets) socket.destroy()
  }
})

test('a transaction without a tenant does not pass for one with', () => {
  const mistake = (plain: Transaction<DB>): Promise<unknown> =>
    // @ts-expect-error -- only withTenant makes a TenantTrx
    listInboxes(plain)
  assert.equal(typeof mistake, 'function')
})

test('a role that could pass by the wall is not served with', async () => {
  const { keyRing, superuserUrl } = database
  await assert.rejects(
    openDatabase({ url: { app: superuserUrl, system: superuserUrl }, keyRing }),
    (error: unknown) => error instanceof Fault && /row-level security/.test(error.public),
  )
})

test('a database that cannot be reached is busy, not broken', async () => {
  const nowhere = 'postgresql://postern_owner:x@127.0.0.1:1/postern'
  await assert.rejects(openDatabase({ url: nowhere, keyRing: database.keyRing }), faulty('service_busy'))
})
