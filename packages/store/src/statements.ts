import { createHash } from 'node:crypto'
import {
  DefaultQueryExecutor,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Compilable,
  type CompiledQuery,
  type ConnectionProvider,
  type Dialect,
} from 'kysely'
import type pg from 'pg'
import type { DB } from './schema.ts'

/** PostgreSQL's SQL without a connection: connections are ours, see `tenant.ts`. */
export const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}

/** Builds queries that are compiled once, at load; it cannot run them. */
export const build = new Kysely<DB>({ dialect })

export function executorOn(connections: ConnectionProvider): DefaultQueryExecutor {
  return new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), connections)
}

/**
 * A query that many calls share: built and compiled once, with parameters given per call in the order in
 * which the placeholders stand in it.
 */
export function compileOnce<R>(
  query: Compilable<R>,
): (...parameters: readonly unknown[]) => CompiledQuery<R> {
  const compiled = query.compile()
  return (...parameters) => {
    if (parameters.length !== compiled.parameters.length) throw new RangeError('wrong number of parameters')
    return { ...compiled, parameters }
  }
}

// Beyond this a process has built SQL from data, and the server would keep a plan for each.
const maxNames = 400
const names = new Map<string, string>()

/** The driver's form of a query: named, so that each connection parses and plans it once. */
export function toDriver({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): pg.QueryConfig {
  let name = names.get(sql)
  if (name === undefined && names.size < maxNames) {
    name = `p_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`
    names.set(sql, name)
  }
  return { ...(name === undefined ? {} : { name }), text: sql, values: [...parameters] }
}
