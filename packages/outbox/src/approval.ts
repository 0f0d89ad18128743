import type { Operation } from '@postern/access'

/** Something that waits for somebody to decide, without what is held. */
export interface ApprovalRecord {
  readonly tenantId: string
  readonly approvalId: string
  readonly operationId: string
  readonly inboxId: string
  readonly principalId: string
  readonly status: 'pending' | 'approved' | 'rejected' | 'expired'
  /** SHA-256 of what is held, in hexadecimal: over all of a message but its Date. */
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
