import { setTimeout as sleep } from 'node:timers/promises'
import { Fault, toFault, type Log } from '@postern/core'
import pg from 'pg'
import { findBinaries, type Binaries } from './embedded/binaries.ts'
import { openCluster } from './embedded/cluster.ts'
import { takeDataLock } from './embedded/data-lock.ts'
import { findFreePort } from './embedded/free-port.ts'
import { findHome, openHome, removeHome, type Home } from './embedded/home.ts'
import { isAlive, readPostmasterFile } from './embedded/postmaster-file.ts'
import { startPostmaster, stopOrphan, type Postmaster } from './embedded/postmaster.ts'
import { chooseRunAs } from './embedded/run-as.ts'
import type { RunAs } from './embedded/run-command.ts'
import {
  databaseName,
  openServerSettings,
  ownerRole,
  readServerSettings,
  saveServerSettings,
  serverUrl,
  type ServerSettings,
} from './embedded/server-settings.ts'
import { startFault } from './embedded/start-fault.ts'

export interface EmbeddedOptions {
  /** Made if missing. The database takes its sub-folder `postgres`. */
  readonly dataDir: string
  /** Zero or absent: a free one, remembered for the next start as long as it stays free. */
  readonly port?: number
  readonly log: Log
  /** Further server settings, such as `fsync: 'off'` in tests. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A running PostgreSQL that ends with this process. */
export interface Embedded {
  /** The role `postern_owner`: may create roles, is not a superuser, owns the database `postern`. */
  readonly ownerUrl: string
  /** Only for what an owner cannot do, such as databases for tests. */
  readonly superuserUrl: string
  readonly port: number
  /** Settles when the server is gone, also when it ended by itself: then the service has to end too. */
  readonly exited: Promise<void>
  /** Orderly and fast; lets the data folder go. May be called twice. */
  stop(): Promise<void>
}

/**
 * Starts a real PostgreSQL on loopback from the binaries that npm delivered. As root the server runs as the
 * system user `postgres`.
 * @throws internal_error; `details.reason` says which of `StartReason` it was, `public` what to do about it.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  if (process.getuid === undefined) {
    throw startFault(
      'unsupported_system',
      'The embedded PostgreSQL needs Linux or macOS. Set DATABASE_URL to a server of your own.',
    )
  }
  const { log } = options
  const runAs = await chooseRunAs(log)
  const binaries = await findBinaries(runAs, log)
  const home = await openHome(options.dataDir, runAs, log)
  const lock = takeDataLock(home)
  try {
    await stopOrphan(home, log)
    const settings = await openServerSettings(home)
    await openCluster(home, settings, { binaries, runAs, isDurable: options.settings?.['fsync'] !== 'off' })
    const running = await startOnPort(options, { home, settings, binaries, runAs })
    return embeddedOf(running, () => lock.release())
  } catch (error) {
    lock.release()
    const fault = toFault(error)
    log.error('database_start_failed', { reference: fault.reference, cause: fault.message })
    throw fault
  }
}

/**
 * The owner's URL of a server that a running service started on this data folder, for commands beside it.
 * @returns null when none runs. @throws internal_error when the folder belongs to another user.
 */
export async function attachEmbedded(dataDir: string): Promise<string | null> {
  const home = await findHome(dataDir)
  if (home === null) return null
  const [settings, running] = await Promise.all([readServerSettings(home), readPostmasterFile(home)])
  if (settings === null || running === null || !running.isReady || !isAlive(running.pid)) return null
  return serverUrl({ ...settings, port: running.port }, 'owner')
}

/**
 * Removes the database of a stopped service: for temporary data folders, because a database that had to be
 * moved out of one would stay behind.
 */
export async function removeEmbedded(dataDir: string): Promise<void> {
  await removeHome(dataDir)
}

interface Prepared {
  readonly home: Home
  readonly settings: ServerSettings
  readonly binaries: Binaries
  readonly runAs: RunAs | null
}

interface Running {
  readonly postmaster: Postmaster
  readonly settings: ServerSettings
}

const portAttempts = 5
const lingerSeconds = 15

/**
 * On the port asked for, else on the remembered one, else on a free one; a port lost in a race is replaced.
 * What a killed server left behind (its sessions end a little later) is waited for.
 */
async function startOnPort(options: EmbeddedOptions, prepared: Prepared): Promise<Running> {
  const fixed = options.port ?? 0
  const patience = Date.now() + lingerSeconds * 1000
  let port = fixed !== 0 ? fixed : prepared.settings.port
  for (let lost = 0; ;) {
    if (port === 0) port = await findFreePort()
    try {
      return await startOn(port, options, prepared)
    } catch (error) {
      const reason = error instanceof Fault ? error.details['reason'] : null
      if (reason === 'port_in_use' && fixed === 0 && lost < portAttempts) {
        port = 0
        lost += 1
      } else if (reason === 'server_lingers' && Date.now() < patience) await sleep(100)
      else throw error
    }
  }
}

async function startOn(port: number, options: EmbeddedOptions, prepared: Prepared): Promise<Running> {
  const { log, settings = {} } = options
  const postmaster = await startPostmaster({ ...prepared, port, log, settings })
  const known = { ...prepared.settings, port }
  try {
    if (port !== prepared.settings.port) await saveServerSettings(prepared.home, known)
    await makeOwner(known)
  } catch (error) {
    await postmaster.stop()
    throw error
  }
  log.info('database_started', { port, directory: prepared.home.directory })
  return { postmaster, settings: known }
}

/** The role and the database of the owner, unless a start before this one made them. */
async function makeOwner(settings: ServerSettings): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl(settings, 'superuser') })
  client.on('error', () => undefined) // the query that was under way rejects with it
  await client.connect()
  try {
    const role = await client.query('select from pg_roles where rolname = $1', [ownerRole])
    if (role.rowCount === 0) {
      const password = client.escapeLiteral(settings.ownerPassword)
      await client.query(`create role ${ownerRole} login createrole password ${password}`)
    }
    const database = await client.query('select from pg_database where datname = $1', [databaseName])
    if (database.rowCount === 0) {
      await client.query(`create database ${databaseName} owner ${ownerRole}`)
      await client.query(`revoke all on database ${databaseName} from public`)
    }
  } finally {
    await client.end()
  }
}

function embeddedOf({ postmaster, settings }: Running, release: () => void): Embedded {
  const exited = postmaster.exited.then(release)
  return {
    ownerUrl: serverUrl(settings, 'owner'),
    superuserUrl: serverUrl(settings, 'superuser'),
    port: settings.port,
    exited,
    stop: async () => {
      await postmaster.stop()
      await exited
    },
  }
}
