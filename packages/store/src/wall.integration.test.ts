import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allScopes } from '@postern/access'
import { Fault, newId, newUuid, silentLog } from '@postern/core'
import {
  createLedgerBench,
  makeInbox,
  makePrincipal,
  makeTenant,
  startTestDatabase,
  type LedgerBench,
  type TestDatabase,
} from '@postern/fixtures'
import { seal } from '@postern/vault'
import { listApiKeys, revokeApiKey, touchApiKeys } from './api-keys.ts'
import { createAuditWriter, listAuditEvents } from './audit-events.ts'
import { credentialContext, getSealed, rotateCredentials, saveCredential } from './credentials.ts'
import {
  createInboxDirectory,
  getInbox,
  listInboxes,
  removeInbox,
  setInbox,
  setInboxStatus,
  touchInboxes,
} from './inboxes.ts'
import { issueApiKey } from './issue-api-key.ts'
import { withOwner } from './migrate.ts'
import { listOperationItems, saveOperationItems } from './operation-items.ts'
import { enterStage, renewLeases, resumeOperation } from './operation-lease.ts'
import { expireOperations, findOperation, resolveOperation, takeLook, takeUndo } from './operations.ts'
import { settleOperation } from './settle-operation.ts'
import { withTenant, type TenantTrx } from './tenant.ts'
import { getTenant, setTenantStatus } from './tenants.ts'

let test1: TestDatabase
let victim = ''
let intruder = ''
let inboxId = ''
let apiKeyId = ''
let operationId = ''
let ledger: LedgerBench

before(async () => {
  test1 = await startTestDatabase()
  const { db, keyRing } = test1
  victim = await makeTenant(db)
  intruder = await makeTenant(db)
  inboxId = (await makeInbox(db, victim)).inboxId
  const envelope = seal(keyRing, Buffer.from('secret'), credentialContext(victim, inboxId, 'mail'))
  await withTenant(db, victim, (trx) => saveCredential(trx, inboxId, 'mail', envelope))
  const issued = await issueApiKey(db, keyRing, victim, {
    name: 'victim',
    scopes: allScopes,
    inboxIds: [inboxId],
    expiresAt: null,
  })
  apiKeyId = issued.record.apiKeyId
  const audit = createAuditWriter(db, silentLog)
  audit.add({
    eventId: newId('evt'),
    tenantId: victim,
    principalId: apiKeyId,
    inboxId,
    requestId: 'request',
    operation: 'inbox_list',
    effect: 'read',
    outcome: 'ok',
    faultCode: null,
    durationMs: 1,
    at: new Date(),
  })
  await audit.close()
  assert.equal(audit.lost, 0)
  ledger = createLedgerBench(test1, victim)
  operationId = await ledger.claimed(ledger.request())
  const items = [{ before: Buffer.from('x'), after: null, status: 'done' }] as const
  await asVictim((trx) => saveOperationItems(trx, operationId, items))
})

after(() => test1.close())

const asIntruder = <T>(act: (trx: TenantTrx) => Promise<T>): Promise<T> => withTenant(test1.db, intruder, act)
const asVictim = <T>(act: (trx: TenantTrx) => Promise<T>): Promise<T> => withTenant(test1.db, victim, act)

const rejectsWith = async (code: string, act: Promise<unknown>): Promise<void> => {
  await assert.rejects(act, (error: unknown) => error instanceof Fault && error.code === code)
}

/** Rows as a superuser sees them, past every policy. */
async function look<R extends object>(query: string, values: readonly unknown[] = []): Promise<R[]> {
  return withOwner(test1.superuserUrl, async (client) => (await client.query<R>(query, [...values])).rows)
}

test('every table with a tenant forces the tenant policy, partitions too', async () => {
  const tables = await look<{ name: string; forced: boolean; policies: string[] }>(`
    select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
           array(select pg_get_expr(p.polqual, p.polrelid) from pg_policy p
                  where p.polrelid = c.oid and p.polname = 'tenant_isolation' and p.polcmd = '*') as policies
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'postern' and c.relkind in ('r', 'p')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')`)
  assert.ok(tables.length >= 8, 'five tables, the default partition and those of the months ahead')
  for (const { name, forced, policies } of tables) {
    assert.equal(forced, true, name)
    assert.deepEqual(
      policies,
      [`(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)`],
      name,
    )
  }
})

test('tenant_id is never null, and every table without it is closed to the service roles', async () => {
  const nullable = await look(`
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
     where n.nspname = 'postern' and c.relkind in ('r', 'p') and not a.attnotnull`)
  assert.deepEqual(nullable, [])
  const open = await look(`
    select c.relname, r.rolname from pg_class c join pg_namespace n on n.oid = c.relnamespace, pg_roles r
     where n.nspname = 'postern' and c.relkind in ('r', 'p', 'v', 'm')
       and r.rolname in ('postern_app', 'postern_system')
       and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
       and has_any_column_privilege(r.rolname, c.oid, 'select, insert, update, references')`)
  assert.deepEqual(open, [])
})

test('a key between tenant tables contains the tenant, and every foreign key has its index', async () => {
  const keys = await look<{ name: string; has_tenant: boolean; is_indexed: boolean }>(`
    select k.conrelid::regclass || '.' || k.conname as name,
           exists (select from pg_attribute a
                    where a.attrelid = k.conrelid and a.attnum = any (k.conkey) and a.attname = 'tenant_id') as has_tenant,
           exists (select from pg_index i
                    where i.indrelid = k.conrelid
                      and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] = k.conkey) as is_indexed
      from pg_constraint k join pg_namespace n on n.oid = k.connamespace
     where n.nspname = 'postern' and k.contype = 'f'`)
  assert.ok(keys.length >= 5)
  for (const { name, has_tenant, is_indexed } of keys) {
    assert.equal(has_tenant, true, name)
    assert.equal(is_indexed, true, name)
  }
})

test('the service roles own nothing, bypass nothing and are members of nothing', async () => {
  const roles = await look<Record<string, unknown>>(`
    select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
           exists (select from pg_class c where c.relowner = r.oid) as owns_tables,
           exists (select from pg_proc p where p.proowner = r.oid) as owns_functions,
           exists (select from pg_auth_members m where m.member = r.oid) as is_member
      from pg_roles r where rolname in ('postern_app', 'postern_system', 'postern_owner') order by rolname`)
  const harmless = {
    rolsuper: false,
    rolbypassrls: false,
    rolcreaterole: false,
    rolcreatedb: false,
    rolreplication: false,
    owns_tables: false,
    owns_functions: false,
    is_member: false,
  }
  assert.deepEqual(roles[0], { rolname: 'postern_app', ...harmless })
  assert.equal(roles[1]?.['rolsuper'], false)
  assert.equal(roles[1]?.['rolbypassrls'], false)
  assert.deepEqual(roles[2], { rolname: 'postern_system', ...harmless })
})

test('the system role reads the columns of the pre-tenant reads and nothing else', async () => {
  const granted = await look<{ column: string }>(`
    select c.relname || '.' || a.attname as column
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = 'postern' and c.relkind in ('r', 'p') and a.attnum > 0
       and has_column_privilege('postern_system', c.oid, a.attnum, 'select') order by 1`)
  assert.deepEqual(
    granted.map(({ column }) => column),
    [
      'api_keys.api_key_id',
      'api_keys.expires_at',
      'api_keys.inbox_ids',
      'api_keys.lookup',
      'api_keys.pepper_key_id',
      'api_keys.revoked_at',
      'api_keys.scopes',
      'api_keys.secret_hmac',
      'api_keys.tenant_id',
      'approvals.approval_id',
      'approvals.closed_at',
      'approvals.expires_at',
      'approvals.status',
      'approvals.tenant_id',
      'download_links.expires_at',
      'download_links.tenant_id',
      'operations.lease_owner',
      'operations.outcome',
      'operations.tenant_id',
      'sealed_files.expires_at',
      'sealed_files.tenant_id',
      'tenants.created_at',
      'tenants.name',
      'tenants.plan',
      'tenants.status',
      'tenants.tenant_id',
    ],
  )
  const client = await test1.db.system.lanes.pick()
  for (const statement of [
    'select name from api_keys',
    'select email_address from inboxes',
    'select envelope from credentials',
    'select operation from audit_events',
    'select operation_id from operations',
    'select before_locators from operation_items',
    'select digest from approvals',
    'select envelope from approval_pieces',
    'select recipient_rules from send_policies',
    'select header from sealed_files',
    'select envelope from sealed_chunks',
    'select message_id from download_links',
    'select envelope from service_roles',
    `insert into tenants (tenant_id, name, plan) values (gen_random_uuid(), 'x', 'free')`,
    `update api_keys set revoked_at = null`,
    'delete from api_keys',
  ]) {
    await assert.rejects(client.query(statement), /permission denied/, statement)
  }
})

test('without a tenant no row is seen, and none can be written', async () => {
  const client = await test1.db.app.lanes.pick()
  const tables = [
    'tenants',
    'inboxes',
    'credentials',
    'api_keys',
    'audit_events',
    'operations',
    'operation_items',
    'send_policies',
    'approvals',
    'approval_pieces',
    'sealed_files',
    'sealed_chunks',
    'download_links',
  ]
  for (const table of tables) {
    const { rows } = await client.query(`select tenant_id from ${table}`)
    assert.deepEqual(rows, [], table)
  }
  await assert.rejects(
    client.query(`insert into tenants (tenant_id, name, plan) values (gen_random_uuid(), 'x', 'free')`),
    /row-level security/,
  )
})

test('a session keeps nothing of the tenant that it served before', async () => {
  await asVictim(listInboxes)
  const clients = await Promise.all(Array.from({ length: 4 }, () => test1.db.app.pool.connect()))
  try {
    for (const client of clients) {
      const { rows } = await client.query<{ id: string; seen: number }>(
        `select coalesce(current_setting('app.tenant_id', true), '') as id, (select count(*)::int from inboxes) as seen`,
      )
      assert.deepEqual(rows, [{ id: '', seen: 0 }])
    }
  } finally {
    for (const client of clients) client.release()
  }
})

test('a row cannot be written for, or moved to, another tenant', async () => {
  await assert.rejects(
    asIntruder((trx) =>
      trx
        .insertInto('inboxes')
        .values({ tenant_id: victim, inbox_id: newUuid(), provider: 'imap', email_address: 'a@example.test' })
        .execute(),
    ),
    /row-level security/,
  )
  await assert.rejects(
    asVictim((trx) => trx.updateTable('inboxes').set({ tenant_id: intruder }).execute()),
    /row-level security/,
  )
})

test("another tenant's inbox, credential, keys and events look absent to every function (check 15)", async () => {
  const { db } = test1
  const directory = createInboxDirectory(db)
  assert.deepEqual(await directory.listInboxes(makePrincipal({ tenantId: intruder })), [])
  assert.deepEqual(
    await directory.listInboxes(makePrincipal({ tenantId: intruder, inboxIds: [inboxId] })),
    [],
  )
  assert.deepEqual(await asIntruder(listInboxes), [])
  assert.equal(await getSealed(db, intruder, inboxId, 'mail'), null)
  assert.deepEqual(await asIntruder((trx) => listApiKeys(trx, { limit: 100 })), [])
  assert.deepEqual(await asIntruder((trx) => listAuditEvents(trx, { limit: 100 })), [])
  assert.deepEqual(await asIntruder((trx) => listOperationItems(trx, operationId)), [])
  await rejectsWith(
    'operation_not_found',
    asIntruder((trx) => findOperation(trx, operationId, ledger.at(1))),
  )
  assert.equal((await asIntruder(getTenant)).tenantId, intruder)
  await rejectsWith(
    'inbox_not_found',
    asIntruder((trx) => getInbox(trx, inboxId)),
  )
})

test("another tenant's rows are changed by no function (check 15)", async () => {
  const { db, keyRing } = test1
  const rows = `select (select to_json(t) from tenants t where tenant_id = $1) as tenant,
    (select to_json(i) from inboxes i where tenant_id = $1) as inbox,
    (select to_json(c) from credentials c where tenant_id = $1) as credential,
    (select to_json(k) from api_keys k where tenant_id = $1) as key,
    (select to_json(e) from audit_events e where tenant_id = $1) as event,
    (select to_json(o) from operations o where tenant_id = $1) as operation,
    (select to_json(i) from operation_items i where tenant_id = $1) as item`
  const earlier = await look(rows, [victim])
  await rejectsWith(
    'inbox_not_found',
    asIntruder((trx) => setInbox(trx, inboxId, { timezone: 'Asia/Tokyo' })),
  )
  await rejectsWith(
    'inbox_not_found',
    asIntruder((trx) => removeInbox(trx, inboxId)),
  )
  const envelope = seal(keyRing, Buffer.from('x'), credentialContext(intruder, inboxId, 'mail'))
  await rejectsWith(
    'inbox_not_found',
    asIntruder((trx) => saveCredential(trx, inboxId, 'mail', envelope)),
  )
  await rejectsWith(
    'invalid_arguments',
    asIntruder((trx) => revokeApiKey(trx, apiKeyId, new Date())),
  )
  assert.equal(
    await asIntruder((trx) => setInboxStatus(trx, inboxId, { status: 'disabled', reason: null })),
    false,
  )
  await asIntruder((trx) => touchInboxes(trx, new Map([[inboxId, new Date()]])))
  await asIntruder((trx) => touchApiKeys(trx, new Map([[apiKeyId, new Date()]])))
  await asIntruder((trx) => setTenantStatus(trx, 'active'))
  assert.deepEqual(await rotateCredentials(db, keyRing, intruder), { moved: 0, failed: 0 })
  await rejectsWith(
    'inbox_not_found',
    issueApiKey(db, keyRing, intruder, { name: 'x', scopes: [], inboxIds: [inboxId], expiresAt: null }),
  )
  assert.deepEqual(await look(rows, [victim]), earlier)
})

test("another tenant's operation is changed by no function of the ledger (check 15)", async () => {
  const rows = `select to_json(o) as operation, to_json(i) as item
    from operations o join operation_items i using (tenant_id, operation_id) where tenant_id = $1`
  const state = { running: '', held: 'pending_approval', unknown: 'unknown', done: 'done' }
  for (const [name, outcome] of Object.entries(state)) {
    await look(`update operations set outcome = nullif($2, '') where tenant_id = $1`, [victim, outcome])
    const earlier = await look(rows, [victim])
    assert.equal(earlier.length, 1)
    const [now, lease] = [ledger.at(1), ledger.ours]
    const moment = { now, lease }
    const settlement = { outcome: 'sent', faultCode: null, result: {} } as const
    const resolution = { method: 'x', checkedAt: now, evidence: 'x' }
    await rejectsWith(
      'operation_in_progress',
      asIntruder((trx) => enterStage(trx, operationId, 'data', moment)),
    )
    const notes = { rfcMessageId: '<x@y>', items: [{ before: null, after: null, status: 'done' }] } as const
    await rejectsWith(
      'operation_in_progress',
      asIntruder((trx) => enterStage(trx, operationId, 'data', { ...moment, notes })),
    )
    await rejectsWith(
      'operation_not_found',
      asIntruder((trx) => settleOperation(trx, operationId, settlement, now)),
    )
    await rejectsWith(
      'operation_not_found',
      asIntruder((trx) => resolveOperation(trx, operationId, { outcome: 'sent', resolution })),
    )
    await rejectsWith(
      'internal_error',
      asIntruder((trx) =>
        saveOperationItems(trx, operationId, [{ before: null, after: null, status: 'done' }]),
      ),
    )
    await asIntruder((trx) => renewLeases(trx, [operationId], moment))
    assert.equal(await asIntruder((trx) => resumeOperation(trx, operationId, moment)), null)
    assert.equal(await asIntruder((trx) => takeLook(trx, operationId, now)), false)
    assert.equal(await asIntruder((trx) => takeUndo(trx, operationId, { undoneBy: 'op_x', now })), false)
    assert.equal(await asIntruder((trx) => expireOperations(trx, ledger.at(1e9))), 0)
    assert.deepEqual(await look(rows, [victim]), earlier, name)
  }
})

test("an unknown inbox and another tenant's are told apart by nothing (check 15)", async () => {
  const messages = await Promise.all(
    [inboxId, newUuid()].map((id) =>
      asIntruder((trx) => getInbox(trx, id)).then(
        () => 'found',
        (error: unknown) => (error instanceof Fault ? error.public : String(error)),
      ),
    ),
  )
  assert.equal(messages[0], messages[1])
})
