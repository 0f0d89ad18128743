import type { Log } from '@postern/core'
import { createBatcher } from './batcher.ts'
import type { Database } from './database.ts'
import type { TenantTrx } from './tenant.ts'
import { writePerTenant } from './write-per-tenant.ts'

/** Notes when something was last used or last answered, some seconds later and together. */
export interface LastTimes {
  /** Never throws, never waits. */
  add(tenantId: string, id: string, at: Date): void
  flush(): Promise<void>
  close(): Promise<void>
}

interface Entry {
  readonly tenantId: string
  readonly id: string
  readonly at: Date
}

const seconds = 10
const maxItems = 1_000

/** A time that cannot be written is let go: the next one is worth more. */
export function createLastTimes(
  db: Database,
  log: Log,
  write: (trx: TenantTrx, times: ReadonlyMap<string, Date>) => Promise<void>,
): LastTimes {
  const batcher = createBatcher<Entry>({
    seconds,
    maxItems,
    maxWaiting: 10 * maxItems,
    write: async (entries) => {
      await writePerTenant(db, log, entries, (trx, own) =>
        write(trx, new Map(own.map(({ id, at }) => [id, at]))),
      )
      return new Map()
    },
    onLost: () => undefined,
  })
  return {
    add: (tenantId, id, at) => batcher.add(id, { tenantId, id, at }),
    flush: () => batcher.flush(),
    close: () => batcher.close(),
  }
}
