import type { AuditEvent } from './audit-event.ts'
import type { InboxRecord } from './inbox-record.ts'
import type { Claim, Operation, OperationItem, OperationRequest, Settlement } from './operation.ts'
import type { Principal } from './principal.ts'
import type { WriteStage } from '@postern/core'

/** Which inboxes a principal reaches; the store answers, under the tenant's policy. */
export interface InboxDirectory {
  /** Every inbox the grant reaches, most recently active first, then by id. */
  listInboxes(principal: Principal): Promise<readonly InboxRecord[]>
}

/** Where writes are claimed before they act. Each method is one short transaction; all throw service_busy without a database. */
export interface OperationLedger {
  claim(request: OperationRequest): Promise<Claim>
  /** @throws operation_in_progress: another process has taken over, and nothing of the step may be done. */
  enter(operation: Operation, stage: WriteStage): Promise<void>
  settle(operation: Operation, settlement: Settlement, items: readonly OperationItem[]): Promise<void>
  /** @throws operation_not_found, also for another caller's. */
  get(principal: Principal, operationId: string): Promise<Operation>
}

/** Where events go. Adding never throws and never waits: reads are recorded in batches. */
export interface AuditLog {
  add(event: AuditEvent): void
}
