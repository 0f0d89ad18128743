import type { InboxRecord } from './inbox-record.ts'
import type { Operation } from './operation.ts'
import type { Principal } from './principal.ts'

/** What waits: a message that is to be sent, or a change of many messages. */
export type ApprovalKind = 'send' | 'bulk'

/** Something that waits for somebody to decide, without what is held. */
export interface ApprovalRecord {
  readonly tenantId: string
  readonly approvalId: string
  readonly operationId: string
  readonly inboxId: string
  readonly principalId: string
  readonly kind: ApprovalKind
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired'
  /** SHA-256 of what is held, in hexadecimal: of a message over all of it but its Date. */
  readonly sha256: string
  readonly heldAt: Date
  readonly expiresAt: Date
  readonly decidedAt: Date | null
  /** Who, in our own words or by the id of a member. */
  readonly decidedBy: string | null
  readonly reason: string | null
  /** It has been carried out, and what was held is gone. */
  readonly isClosed: boolean
}

/** What was put before somebody, as whoever asked for it may know it. */
export interface ApprovalDirectory {
  /** The approval that a write waits for, or waited for; null where it waited for none. */
  find(operation: Operation): Promise<(ApprovalRecord & { readonly reviewUrl: string }) | null>
}

/** What is put before somebody to decide. */
export interface ApprovalRequest {
  readonly operation: Operation
  readonly inboxId: string
  readonly kind: ApprovalKind
  /** As of `ApprovalRecord`. */
  readonly sha256: string
  /** Kept sealed until it is decided and carried out. */
  readonly held: Uint8Array
  readonly heldAt: Date
  readonly expiresAt: Date
}

/** What whoever asked is told of it. */
export interface HeldApproval {
  readonly approvalId: string
  /** Where a member decides. */
  readonly reviewUrl: string
  readonly expiresAt: Date
}

/** What waits for somebody to decide. */
export interface ApprovalShelf {
  hold(request: ApprovalRequest): Promise<HeldApproval>
}

/** What was approved, with everything as it is now: by whom, from where, and the write that goes on. */
export interface ApprovedWork {
  readonly approval: ApprovalRecord
  readonly operation: Operation
  readonly principal: Principal
  readonly inbox: InboxRecord
  /** As it was put on the shelf. */
  readonly held: Uint8Array
}
