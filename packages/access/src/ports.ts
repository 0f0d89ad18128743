import type { AuditEvent } from './audit-event.ts'
import type { InboxRecord } from './inbox-record.ts'
import type { Principal } from './principal.ts'

/** Which inboxes a principal reaches; the store answers, under the tenant's policy. */
export interface InboxDirectory {
  /** Every inbox the grant reaches, most recently active first, then by id. */
  listInboxes(principal: Principal): Promise<readonly InboxRecord[]>
}

/** Where events go. Adding never throws and never waits: reads are recorded in batches. */
export interface AuditLog {
  add(event: AuditEvent): void
}
