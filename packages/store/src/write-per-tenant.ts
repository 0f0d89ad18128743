import { toFault, type Log } from '@postern/core'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { withTenant, type TenantTrx } from './tenant.ts'

export interface UnwrittenItems<T> {
  /** The database could not be reached or had no room: trying again may help. */
  readonly unreachable: ReadonlyMap<string, T>
  /** The database refused them. */
  readonly refused: ReadonlyMap<string, T>
}

/**
 * Writes records that belong to several tenants, a transaction for each, so that what one tenant's fails on
 * costs no other. The commit does not wait for the disk: a crash of the machine may cost the last half second
 * of them, which batching risks anyway. Logs each failure and throws none.
 */
export async function writePerTenant<T extends { readonly tenantId: string }>(
  db: Database,
  log: Log,
  items: ReadonlyMap<string, T>,
  write: (trx: TenantTrx, items: readonly T[]) => Promise<void>,
): Promise<UnwrittenItems<T>> {
  const unreachable = new Map<string, T>()
  const refused = new Map<string, T>()
  for (const [tenantId, entries] of Map.groupBy(items, ([, item]) => item.tenantId)) {
    try {
      await withTenant(db, tenantId, async (trx) => {
        await sql`set local synchronous_commit = off`.execute(trx)
        await write(
          trx,
          entries.map(([, item]) => item),
        )
      })
    } catch (error) {
      const { code, reference, message } = toFault(error)
      log.error('batch_not_written', {
        tenant_id: tenantId,
        count: entries.length,
        fault_code: code,
        reference,
        cause: message,
      })
      const unwritten = code === 'service_busy' ? unreachable : refused
      for (const [key, item] of entries) unwritten.set(key, item)
    }
  }
  return { unreachable, refused }
}
