import type { AuditEvent } from './audit-event.ts'
import type { InboxRecord } from './inbox-record.ts'
import type {
  Claim,
  Operation,
  OperationItem,
  OperationNotes,
  OperationRequest,
  Resolution,
  Settlement,
} from './operation.ts'
import type { Outcome } from './outcome.ts'
import type { Principal } from './principal.ts'
import type { WriteStage } from '@postern/core'

/** Which inboxes a principal reaches; the store answers, under the tenant's policy. */
export interface InboxDirectory {
  /** Every inbox the grant reaches, most recently active first, then by id. */
  listInboxes(principal: Principal): Promise<readonly InboxRecord[]>
}

/**
 * Where writes are claimed before they act. Each method is one short transaction, none waits for a provider, and all
 * throw service_busy without a database.
 */
export interface OperationLedger {
  claim(request: OperationRequest): Promise<Claim>
  /**
   * Before each step of a write.
   * @throws operation_in_progress: another process has taken over, and nothing of the step may be done;
   * internal_error when the step cannot follow those that were entered (`mayEnter`).
   */
  enter(operation: Operation, stage: WriteStage): Promise<void>
  /**
   * What has to be known should nobody live to tell. It is written down with the next step from which there is no return,
   * before that begins.
   */
  note(operation: Operation, notes: OperationNotes): void
  /** How it ended. With items that were saved before, by position, or with the first ones. */
  settle(operation: Operation, settlement: Settlement, items: readonly OperationItem[]): Promise<void>
  /** @throws operation_not_found, also for another caller's. */
  get(principal: Principal, operationId: string): Promise<Operation>
  /**
   * One of the tenant's, whoever called: what may be undone by any key that may still do it.
   * @throws operation_not_found.
   */
  find(principal: Principal, operationId: string): Promise<Operation>
  /** The messages of a write, in the order in which they were saved. */
  listItems(operation: Operation): Promise<readonly OperationItem[]>
  /** Whether it is time to look what became of an unknown one; who is told so is the only one for 30 s. */
  takeLook(operation: Operation): Promise<boolean>
  /** What the look told. An operation that is no longer unknown stays as it is. */
  resolve(
    operation: Operation,
    outcome: Outcome,
    resolution: Resolution,
    items: readonly OperationItem[],
  ): Promise<Operation>
  /** Whether `undo` may undo this one: a change of the last 24 hours that no other has undone or is undoing. */
  takeUndo(operation: Operation, undo: Operation): Promise<boolean>
  /**
   * Goes on with what was held or scheduled, as this process's own. Null when it is neither: somebody was first.
   */
  resume(operation: Pick<Operation, 'tenantId' | 'operationId'>): Promise<Operation | null>
}

/** Where events go. Adding never throws and never waits: reads are recorded in batches. */
export interface AuditLog {
  add(event: AuditEvent): void
}
