import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { Fault, newUuid, silentLog } from '@postern/core'
import { createKeyRing, generateKey } from '@postern/vault'
import { openDatabase } from './database.ts'
import { removeEmbedded, startEmbedded, type Embedded } from './embedded.ts'
import { generateSchema } from './generate-schema.ts'
import { migrate, withOwner } from './migrate.ts'
import { withTenant } from './tenant.ts'
import { addTenant, getTenant } from './tenants.ts'

// A server of its own: roles belong to the whole server, and here they come and go.
const secretKeys = generateKey()
const keyRing = createKeyRing(secretKeys)
let folder = ''
let server: Embedded
let files: readonly string[] = []
const made: string[] = []

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-migrate-'))
  await chmod(folder, 0o711)
  server = await startEmbedded({ dataDir: join(folder, 'data'), log: silentLog, settings: { fsync: 'off' } })
  const names = await readdir(new URL('../../../migrations/', import.meta.url))
  files = names.filter((name) => name.endsWith('.sql')).toSorted()
})

afterEach(async () => {
  for (const name of made.splice(0)) await asSuperuser(`drop database ${name} with (force)`)
  await asSuperuser('drop role if exists postern_app, postern_system')
})

after(async () => {
  await server.stop()
  await removeEmbedded(join(folder, 'data'))
  await rm(folder, { recursive: true, force: true })
})

async function asSuperuser(statement: string): Promise<void> {
  await withOwner(server.superuserUrl, (client) => client.query(statement))
}

async function query<R extends object>(url: string, text: string): Promise<R[]> {
  return withOwner(url, async (client) => (await client.query<R>(text)).rows)
}

/** An empty database; its owner's URL. */
async function newDatabase(owner = 'postern_owner', login?: string): Promise<string> {
  const name = `d_${newUuid().replaceAll('-', '')}`
  await asSuperuser(`create database ${name} owner ${owner}`)
  made.push(name)
  const url = new URL(server.ownerUrl)
  url.pathname = `/${name}`
  if (login !== undefined) [url.username, url.password] = [owner, login]
  return url.href
}

async function newDirectory(contents: Readonly<Record<string, string>>): Promise<URL> {
  const path = await mkdtemp(join(folder, 'files-'))
  for (const [name, sql] of Object.entries(contents)) await writeFile(join(path, name), sql)
  return pathToFileURL(`${path}/`)
}

const says =
  (pattern: RegExp) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.code === 'internal_error' && pattern.test(error.public)

/** Everything that a run could have changed, as the catalogue tells it. */
const state = `
  select (select json_agg(m order by m.name) from postern.migrations m) as migrations,
         (select json_agg(r order by r.role) from postern.service_roles r) as roles,
         (select json_agg(a.rolpassword order by a.rolname) from pg_authid a where a.rolname like 'postern_%') as hashes,
         (select json_agg(c.oid::text || c.relname || coalesce(c.relacl::text, '') order by c.oid) from pg_class c
            join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'postern') as relations`

function asSuperuserOf(url: string): string {
  const changed = new URL(server.superuserUrl)
  changed.pathname = new URL(url).pathname
  return changed.href
}

test('an empty database gets every file, and serves', async () => {
  const url = await newDatabase()
  assert.deepEqual(await migrate(url, { keyRing }), files)
  const db = await openDatabase({ url, keyRing })
  try {
    const tenantId = newUuid()
    await withTenant(db, tenantId, (trx) => addTenant(trx, { name: 'First', plan: 'free' }))
    assert.equal((await withTenant(db, tenantId, getTenant)).name, 'First')
  } finally {
    await db.close()
  }
})

test('a second run changes nothing', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  const earlier = await query(asSuperuserOf(url), state)
  assert.deepEqual(await migrate(url, { keyRing }), [])
  assert.deepEqual(await query(asSuperuserOf(url), state), earlier)
})

test('runs at once apply each file once and all succeed', async () => {
  const url = await newDatabase()
  const runs = await Promise.all([1, 2, 3].map(() => migrate(url, { keyRing })))
  assert.deepEqual(runs.flat().toSorted(), files)
})

test('schema.ts is what the migrated database says', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  const written = await readFile(new URL('schema.ts', import.meta.url), 'utf8')
  assert.equal(await generateSchema(url), written)
  assert.equal(await generateSchema(url), written)
})

test('a file that fails is undone; those before it stay, those after it wait', async () => {
  const url = await newDatabase()
  const contents = {
    '20260101000000_create_one.sql': 'create table one (id int);',
    '20260101000001_create_two.sql': 'create table two (id int); select no_such_function();',
    '20260101000002_create_three.sql': 'create table three (id int);',
  }
  const directory = await newDirectory(contents)
  await assert.rejects(migrate(url, { keyRing, directory }), says(/20260101000001_create_two\.sql failed/))
  const tables = `select table_name as name from information_schema.tables
                   where table_schema = 'postern' and table_name in ('one', 'two', 'three')`
  assert.deepEqual(await query(url, tables), [{ name: 'one' }])
  const mended = await newDirectory({
    ...contents,
    '20260101000001_create_two.sql': 'create table two (id int);',
  })
  assert.deepEqual(await migrate(url, { keyRing, directory: mended }), [
    '20260101000001_create_two.sql',
    '20260101000002_create_three.sql',
  ])
})

test('a file that changed after it was applied is refused; other line ends are no change', async () => {
  const url = await newDatabase()
  const name = '20260101000000_create_one.sql'
  const sql = 'create table one (\n  id int\n);\n'
  await migrate(url, { keyRing, directory: await newDirectory({ [name]: sql }) })
  const windows = await newDirectory({ [name]: sql.replaceAll('\n', '\r\n') })
  assert.deepEqual(await migrate(url, { keyRing, directory: windows }), [])
  const edited = await newDirectory({ [name]: sql.replace('int', 'bigint') })
  await assert.rejects(migrate(url, { keyRing, directory: edited }), says(/changed after they were applied/))
})

test('a file of another name than the rule says is refused', async () => {
  const url = await newDatabase()
  const directory = await newDirectory({ 'create_one.sql': 'select 1' })
  await assert.rejects(migrate(url, { keyRing, directory }), says(/no name for a migration/))
})

test('a database that is behind is not served, and says what to do', async () => {
  const url = await newDatabase()
  await assert.rejects(openDatabase({ url, keyRing }), says(/npm run migrate/))
})

test('an owner without CREATEROLE is told what is missing, and nothing is left behind', async () => {
  await asSuperuser(`create role weak login password 'weak'`)
  try {
    const url = await newDatabase('weak', 'weak')
    await assert.rejects(migrate(url, { keyRing }), says(/CREATEROLE/))
    assert.deepEqual(await query(url, `select nspname from pg_namespace where nspname = 'postern'`), [])
  } finally {
    await asSuperuser(`drop database ${made.pop() ?? ''} with (force)`)
    await asSuperuser('drop role weak')
  }
})

test('an owner of any name who may create roles is enough', async () => {
  await asSuperuser(`create role somebody login createrole password 'some'`)
  try {
    const url = await newDatabase('somebody', 'some')
    assert.deepEqual(await migrate(url, { keyRing }), files)
    await (await openDatabase({ url, keyRing })).close()
  } finally {
    await asSuperuser(`drop database ${made.pop() ?? ''} with (force)`)
    await asSuperuser('drop role postern_app, postern_system')
    await asSuperuser('drop role somebody')
  }
})

test('a superuser as the owner works too', async () => {
  const url = asSuperuserOf(await newDatabase())
  assert.deepEqual(await migrate(url, { keyRing }), files)
  await (await openDatabase({ url, keyRing })).close()
})

test('a second Postern on one server is refused rather than locking out the first', async () => {
  const first = await newDatabase()
  const second = await newDatabase()
  await migrate(first, { keyRing })
  await assert.rejects(migrate(second, { keyRing }), says(/belongs to the Postern in database/))
  await (await openDatabase({ url: first, keyRing })).close()
})

test('roles that a dropped database left behind are taken over', async () => {
  const first = await newDatabase()
  await migrate(first, { keyRing })
  await asSuperuser(`drop database ${made.pop() ?? ''} with (force)`)
  const second = await newDatabase()
  await migrate(second, { keyRing })
  await (await openDatabase({ url: second, keyRing })).close()
})

test('a service role that could bypass the wall stops the run', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  await asSuperuser('alter role postern_app bypassrls')
  await assert.rejects(migrate(url, { keyRing }), says(/may pass by row-level security/))
  await assert.rejects(openDatabase({ url, keyRing }), says(/may pass by row-level security/))
})

test('a service role that belongs to the owner stops the run', async () => {
  const url = asSuperuserOf(await newDatabase())
  await migrate(url, { keyRing })
  await asSuperuser('grant postgres to postern_app')
  await assert.rejects(migrate(url, { keyRing }), says(/may pass by row-level security/))
})

test('role passwords move to a new secret key, and the old one can go', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  const fresh = generateKey()
  await assert.rejects(openDatabase({ url, keyRing: createKeyRing(fresh) }), says(/cannot be opened/))
  const serving = await openDatabase({ url, keyRing })
  await migrate(url, { keyRing: createKeyRing(`${fresh},${secretKeys}`) })
  // The password itself stayed, so a process that still runs with the old list can open new connections.
  await withTenant(serving, newUuid(), (trx) => addTenant(trx, { name: 'Meanwhile', plan: 'free' }))
  await serving.close()
  await (await openDatabase({ url, keyRing: createKeyRing(fresh) })).close()
})

test('a month gets its partition once, with what the default one held of it, under the same policy', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  const superuser = asSuperuserOf(url)
  const tenantId = newUuid()
  await query(superuser, `insert into tenants (tenant_id, name, plan) values ('${tenantId}', 'T', 'free')`)
  await query(
    superuser,
    `insert into audit_events (tenant_id, at, event_id, request_id, operation, effect, outcome, duration_ms)
     select '${tenantId}', at::timestamptz, 'evt_' || at, 'r', 'inbox_list', 'read', 'ok', 1
       from unnest(array['2031-01-31T23:59:59.999Z', '2031-02-01T00:00:00Z', '2031-02-28T23:59:59.999Z', '2031-03-01T00:00:00Z']) at`,
  )
  const make = `select make_audit_partition('2031-02-14') as made`
  assert.deepEqual(await query(url, make), [{ made: true }])
  assert.deepEqual(await query(url, make), [{ made: false }])
  const where = `select tableoid::regclass::text as part, count(*)::int as rows from audit_events
                  where tenant_id = '${tenantId}' group by 1 order by 1`
  assert.deepEqual(await query(superuser, where), [
    { part: 'audit_events_2031_02', rows: 2 },
    { part: 'audit_events_default', rows: 2 },
  ])
  const forced = `select bool_and(relrowsecurity and relforcerowsecurity) as forced, count(*)::int as tables
                    from pg_class where relname in ('audit_events_2031_02', 'audit_events_default')`
  assert.deepEqual(await query(superuser, forced), [{ forced: true, tables: 2 }])
})

test('the service roles can neither make partitions nor touch one beside the parent', async () => {
  const url = await newDatabase()
  await migrate(url, { keyRing })
  const db = await openDatabase({ url, keyRing })
  try {
    const client = await db.app.lanes.pick()
    await assert.rejects(client.query(`select make_audit_partition('2031-02-14')`), /permission denied/)
    await assert.rejects(client.query(`select from audit_events_default`), /permission denied/)
    await assert.rejects(client.query(`delete from audit_events`), /permission denied/)
    await assert.rejects(client.query(`update audit_events set outcome = 'ok'`), /permission denied/)
    await assert.rejects(client.query(`create table mine (id int)`), /permission denied/)
  } finally {
    await db.close()
  }
})
