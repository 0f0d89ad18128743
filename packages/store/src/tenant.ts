import { isUuid, toFault } from '@postern/core'
import {
  DummyDriver,
  Transaction,
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import type { Database } from './database.ts'
import { gatherWrites } from './gather-writes.ts'
import type { DB } from './schema.ts'
import { dialect, executorOn, toDriver } from './statements.ts'
import { storeFault } from './store-fault.ts'

const driver = new DummyDriver()

/** An open transaction in which only one tenant's rows exist. The private field keeps anything else from passing for one. */
class TenantTransaction extends Transaction<DB> {
  readonly #tenantId: string

  constructor(connections: ConnectionProvider, tenantId: string) {
    super({ config: { dialect }, dialect, driver, executor: executorOn(connections) })
    this.#tenantId = tenantId
  }

  get tenantId(): string {
    return this.#tenantId
  }
}

/** What every function of the store takes first. Only `withTenant` makes one. */
export type TenantTrx = TenantTransaction

export interface TransactionOptions {
  /**
   * False: the commit does not wait for the disk. It outlives the end of every process; a machine that loses its power
   * may lose it, though never after a later commit that did wait.
   */
  readonly isDurable?: boolean
}

/**
 * Runs `act` in a transaction of one tenant: committed when it returns, undone when it throws.
 * Wait for nothing but the database in it: it holds a connection.
 * @throws what `act` throws, failures of the database as Faults (`storeFault`).
 */
export async function withTenant<T>(
  db: Database,
  tenantId: string,
  act: (trx: TenantTrx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const begin = beginChange(tenantId, options)
  return onConnection(db, (client) => run(client, begin, { tenantId, act }))
}

/**
 * One change of one tenant, as a transaction written in one go: one wait for the server, where `withTenant` has three.
 * @throws failures of the database as Faults (`storeFault`); then nothing was changed.
 */
export async function changeAsTenant<R>(
  db: Database,
  tenantId: string,
  query: CompiledQuery<R>,
  options: TransactionOptions = {},
): Promise<R[]> {
  const begin = beginChange(tenantId, options)
  return onConnection(db, async (client) => {
    const begun = client.query(begin)
    const changed = client.query<R & pg.QueryResultRow>(toDriver(query))
    const ended = client.query('commit')
    const [, { rows }, { command }] = await Promise.all([begun, changed, ended])
    requireCommitted(command)
    return rows
  })
}

/** @throws what `act` throws, and what was begun is undone. */
async function onConnection<T>(db: Database, act: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await db.app.pool.connect().catch((error: unknown) => {
    throw storeFault(error)
  })
  gatherWrites(client.connection.stream)
  let broken: Error | undefined
  try {
    return await act(client)
  } catch (error) {
    // Undone is certain only when the server says so; otherwise the connection goes, and the server undoes it.
    broken = await client.query('rollback').then(
      () => undefined,
      (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
    )
    throw storeFault(error)
  } finally {
    client.release(broken)
  }
}

/**
 * One read of one tenant, as a transaction written to a shared connection in one go: the cheapest way there
 * is, for the reads of every call.
 */
export async function readAsTenant<R>(db: Database, tenantId: string, query: CompiledQuery<R>): Promise<R[]> {
  const begin = beginStatement(tenantId, 'begin read only')
  try {
    const client = await db.app.lanes.pick()
    // No await between these three: another caller's statements would come in between.
    const begun = client.query(begin)
    const found = client.query<R & pg.QueryResultRow>(toDriver(query))
    const ended = client.query('commit')
    const [, { rows }] = await Promise.all([begun, found, ended])
    return rows
  } catch (error) {
    throw storeFault(error)
  }
}

async function run<T>(
  client: pg.PoolClient,
  begin: string,
  { tenantId, act }: { tenantId: string; act: (trx: TenantTrx) => Promise<T> },
): Promise<T> {
  // Not awaited: the first statement of `act` travels with it. A failure is met below.
  const begun = client.query(begin)
  begun.catch(() => undefined)
  const connections = new OneConnection(client)
  try {
    const result = await act(new TenantTransaction(connections, tenantId.toLowerCase()))
    await begun
    const { command } = await client.query('commit')
    requireCommitted(command)
    return result
  } finally {
    connections.close()
  }
}

/** The server answers ROLLBACK when a statement had failed and the transaction went on regardless. */
function requireCommitted(command: string): void {
  if (command !== 'COMMIT') throw toFault(new Error('database: commit of a failed transaction'))
}

function beginChange(tenantId: string, { isDurable = true }: TransactionOptions): string {
  return `${beginStatement(tenantId, 'begin')}${isDurable ? '' : '; set local synchronous_commit = off'}`
}

/** The id stands in the text: a UUID needs no quoting, and one message does what would take three. */
function beginStatement(tenantId: string, begin: string): string {
  if (!isUuid(tenantId)) throw toFault(new Error('database: a tenant id that is no UUID'))
  return `${begin}; set local app.tenant_id = '${tenantId}'`
}

/** The connection of one transaction. It refuses once that has ended: by then another tenant may be on it. */
class OneConnection implements ConnectionProvider, DatabaseConnection {
  readonly #client: pg.PoolClient
  #isOpen = true

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  close(): void {
    this.#isOpen = false
  }

  provideConnection<T>(consumer: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return consumer(this)
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#isOpen) throw toFault(new Error('database: the transaction of this tenant has ended'))
    const { rows, rowCount } = await this.#client.query<R & pg.QueryResultRow>(toDriver(query))
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw toFault(new Error('database: rows are not streamed'))
  }
}
