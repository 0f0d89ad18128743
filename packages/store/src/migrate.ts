import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Fault } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import pg from 'pg'
import { storeFault } from './store-fault.ts'
import { ensureRoles } from './roles.ts'

export interface MigrateOptions {
  /** Seals the passwords of the service roles. */
  readonly keyRing: KeyRing
  /** Tests bring their own files. */
  readonly directory?: URL
}

/** The schema that holds every table of ours. */
export const schemaName = 'postern'

interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

const migrations = new URL('../../../migrations/', import.meta.url)
const nameShape = /^\d{14}_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/
// Any number, but the same for ever: two runs on one database wait for each other by it.
const lockNumber = '5170246302871'
const monthsAhead = 2

/**
 * Brings a database up to this code: service roles, then each file of /migrations that has not been applied,
 * in a transaction each, then the audit partitions of the months ahead. A second run changes nothing; two at
 * once wait for each other.
 * @param ownerUrl owner of the database, with CREATEROLE; need not be a superuser.
 * @returns the files applied now.
 * @throws internal_error: privilege missing, a file that changed after it was applied, a file that failed.
 */
export async function migrate(ownerUrl: string, options: MigrateOptions): Promise<readonly string[]> {
  const files = await readMigrations(options.directory ?? migrations)
  return withOwner(ownerUrl, async (client) => {
    await takeLock(client)
    await inTransaction(client, async () => {
      await ensureSchema(client)
      await ensureRoles(client, options.keyRing)
    })
    const pending = await findPending(client, files)
    for (const migration of pending) await apply(client, migration)
    await makePartitions(client)
    return pending.map(({ name }) => name)
  })
}

/**
 * Names of the files that this code has and the database lacks.
 * @throws internal_error when there is no schema yet, or a file changed after it was applied.
 */
export async function listPending(
  client: pg.ClientBase,
  directory: URL = migrations,
): Promise<readonly string[]> {
  const files = await readMigrations(directory)
  const { rows } = await client.query<{ known: boolean }>(`select to_regclass($1) is not null as known`, [
    `${schemaName}.migrations`,
  ])
  if (rows[0]?.known !== true) return files.map(({ name }) => name)
  return (await findPending(client, files)).map(({ name }) => name)
}

/** Connects as the owner, with our schema as the search path, and closes afterwards. */
export async function withOwner<T>(ownerUrl: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    application_name: 'postern-owner',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => undefined) // the query that was under way rejects with it
  try {
    await client.connect()
    await client.query(`set search_path = ${schemaName}`)
    return await act(client)
  } catch (error) {
    throw storeFault(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function readMigrations(directory: URL): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      if (!nameShape.test(name)) {
        throw new Fault('internal_error', { public: `${name} is no name for a migration.` })
      }
      // A checkout with other line ends is the same file.
      const sql = (await readFile(new URL(name, directory), 'utf8')).replaceAll('\r\n', '\n')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Held until the connection closes. */
async function takeLock(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '60s'`)
  try {
    await client.query(`select pg_advisory_lock(${lockNumber})`)
  } catch (error) {
    throw new Fault('internal_error', {
      public:
        'Another migration of this database has been running for a minute. Wait for it and run this again.',
      internal: error instanceof Error ? error.message : String(error),
    })
  }
}

async function ensureSchema(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schemaName])
  if (rowCount === 0) await client.query(`create schema ${schemaName}`)
  await client.query(`
    create table if not exists migrations (
      name text primary key,
      checksum text not null,
      applied_at timestamptz not null default now()
    )`)
}

async function findPending(
  client: pg.ClientBase,
  files: readonly Migration[],
): Promise<readonly Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `select name, checksum from ${schemaName}.migrations`,
  )
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const changed = files.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum)
  if (changed.length > 0) {
    throw new Fault('internal_error', {
      public: `These migrations changed after they were applied: ${changed.map(({ name }) => name).join(', ')}. Restore them and write a new one.`,
    })
  }
  return files.filter(({ name }) => !applied.has(name))
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await inTransaction(client, async () => {
      // Rather fail and be run again than queue up in front of all traffic.
      await client.query(`set local lock_timeout = '10s'`)
      await client.query(sql)
      await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
    })
  } catch (error) {
    throw new Fault('internal_error', {
      public: `The migration ${name} failed and was undone. Those before it are in place.`,
      internal: error instanceof Error ? error.message : String(error),
    })
  }
}

async function makePartitions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(
    `select to_regprocedure('make_audit_partition(date)') is not null as known`,
  )
  if (rows[0]?.known !== true) return
  for (let month = 0; month <= monthsAhead; month += 1) {
    await client.query(
      `select make_audit_partition((now() at time zone 'UTC' + make_interval(months => $1))::date)`,
      [month],
    )
  }
}

async function inTransaction(client: pg.Client, act: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await act()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
