import type { Log } from '@postern/core'
import { touchApiKeys } from './api-keys.ts'
import type { Database } from './database.ts'
import { createLastTimes, type LastTimes } from './last-times.ts'

/** Collects the last use of API keys: `add(principal.tenantId, principal.principalId, now)` after each key check. */
export function createKeyUses(db: Database, log: Log): LastTimes {
  return createLastTimes(db, log.with({ operation: 'store.touch_api_keys' }), touchApiKeys)
}
