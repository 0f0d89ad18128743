import { Socket } from 'node:net'
import { Fault } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import pg from 'pg'
import { createLanes, type Lanes } from './lanes.ts'
import { listPending, withOwner } from './migrate.ts'
import { readRolePasswords } from './roles.ts'
import { storeFault } from './store-fault.ts'

/** One role's connections: a pool for transactions, lanes for single reads. */
export interface RoleConnections {
  readonly pool: pg.Pool
  readonly lanes: Lanes
  close(): Promise<void>
}

/**
 * Connections to a migrated database. Rows of a tenant are reached through `withTenant` and `readAsTenant`
 * alone; `system.ts` has the few reads that come before a tenant is known.
 */
export interface Database {
  /** As `postern_app`, which sees no row without a tenant. */
  readonly app: RoleConnections
  /** As `postern_system`, which sees a few columns of every tenant. */
  readonly system: RoleConnections
  /** Lets statements under way finish, for some seconds, then closes every connection. May be called twice. */
  close(): Promise<void>
}

export interface RoleUrls {
  readonly app: string
  readonly system: string
}

export interface DatabaseOptions {
  /** The owner's URL, from which those of the service roles follow; or these themselves. */
  readonly url: string | RoleUrls
  readonly keyRing: KeyRing
  /** Connections for transactions at once, default 10; lanes come on top. */
  readonly maxConnections?: number
  /** How long an answer may take before its connection counts as dead, default 20; the server gives up after 15. */
  readonly answerSeconds?: number
}

const appLanes = 2
const systemLanes = 2
const closeSeconds = 5

/**
 * @throws internal_error when the database is not migrated to this code, or its roles could pass by
 * row-level security; service_busy when it cannot be reached.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const urls =
    typeof options.url === 'string' ? await findRoleUrls(options.url, options.keyRing) : options.url
  const { answerSeconds = 20 } = options
  let closing: Promise<void> | null = null
  const database: Database = {
    app: connectionsOf(urls.app, { max: options.maxConnections ?? 10, lanes: appLanes, answerSeconds }),
    system: connectionsOf(urls.system, { max: 2, lanes: systemLanes, answerSeconds }),
    close: () => (closing ??= closeAll([database.app, database.system])),
  }
  try {
    await Promise.all([requireWalled(database.app), requireWalled(database.system)])
  } catch (error) {
    await database.close()
    throw storeFault(error)
  }
  return database
}

async function closeAll(roles: readonly RoleConnections[]): Promise<void> {
  await Promise.all(roles.map((role) => role.close()))
}

/** Whether both roles are served, for a readiness probe. @throws service_busy. */
export async function pingDatabase(db: Database): Promise<void> {
  try {
    await Promise.all([db.app, db.system].map(async ({ lanes }) => (await lanes.pick()).query('select 1')))
  } catch (error) {
    throw storeFault(error)
  }
}

interface Sizes {
  readonly max: number
  readonly lanes: number
  readonly answerSeconds: number
}

function connectionsOf(url: string, { max, lanes, answerSeconds }: Sizes): RoleConnections {
  const sockets = new Set<Socket>()
  const makeSocket = (): Socket => {
    const socket = new Socket()
    sockets.add(socket)
    return socket.on('close', () => sockets.delete(socket))
  }
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: 'postern',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    query_timeout: answerSeconds * 1000,
    stream: makeSocket,
  }
  const pool = new pg.Pool({ ...config, max, pipeline: true, idleTimeoutMillis: 60_000 })
  // A connection that breaks is replaced by the pool, and a statement under way rejects with the error. Unheard,
  // the event of an idle or of a lent one would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const shared = createLanes({ config, count: lanes, makeSocket })
  const close = async (): Promise<void> => {
    const closed = Promise.all([pool.end(), shared.close()])
    // The driver waits for the server to hang up; one that is gone never does.
    const timer = setTimeout(
      () => {
        for (const socket of sockets) socket.destroy()
      },
      Math.min(closeSeconds, answerSeconds) * 1000,
    )
    await closed
    clearTimeout(timer)
  }
  return { pool, lanes: shared, close }
}

async function findRoleUrls(ownerUrl: string, keyRing: KeyRing): Promise<RoleUrls> {
  return withOwner(ownerUrl, async (client) => {
    const pending = await listPending(client)
    if (pending.length > 0) {
      throw new Fault('internal_error', {
        public: `The database lacks ${String(pending.length)} migrations of this release. Run \`npm run migrate\` first.`,
        internal: `pending: ${pending.join(', ')}`,
      })
    }
    const passwords = await readRolePasswords(client, keyRing)
    return {
      app: withLogin(ownerUrl, 'postern_app', passwords.postern_app),
      system: withLogin(ownerUrl, 'postern_system', passwords.postern_system),
    }
  })
}

/** The same server and database for another login. */
function withLogin(url: string, user: string, password: string): string {
  const changed = new URL(url)
  // A URL of a Unix socket has no host (`?host=` names the folder), and one without a host takes no login.
  if (changed.hostname === '') changed.hostname = 'localhost'
  changed.username = user
  changed.password = password
  return changed.href
}

/** Row-level security is no wall for a superuser or a role with BYPASSRLS: refuse to serve as one. */
async function requireWalled({ lanes }: RoleConnections): Promise<void> {
  const client = await lanes.pick()
  const { rows } = await client.query<{ role: string; can_bypass: boolean }>(
    `select rolname as role, rolsuper or rolbypassrls as can_bypass from pg_roles where rolname = current_user`,
  )
  const [facts] = rows
  if (facts !== undefined && !facts.can_bypass) return
  throw new Fault('internal_error', {
    public:
      'The database role of this service may pass by row-level security. ' +
      'Use postern_app and postern_system as `npm run migrate` makes them.',
    internal: `role ${facts?.role ?? 'unknown'}`,
  })
}
