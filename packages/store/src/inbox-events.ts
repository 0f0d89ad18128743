import type { Log } from '@postern/core'
import type { Database } from './database.ts'
import { touchInboxes } from './inboxes.ts'
import { createLastTimes, type LastTimes } from './last-times.ts'

/** Collects when mailboxes last answered, which is the order in which inboxes are listed. */
export function createInboxEvents(db: Database, log: Log): LastTimes {
  return createLastTimes(db, log.with({ operation: 'store.touch_inboxes' }), touchInboxes)
}
