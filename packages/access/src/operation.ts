import type { Json } from './canonical.ts'
import type { Outcome } from './outcome.ts'
import type { WriteStage } from '@postern/core'

/** Who calls what, with which arguments: what a write is known by before it acts. */
export interface OperationRequest {
  readonly tenantId: string
  readonly principalId: string
  /** `email_compose.send`. */
  readonly operation: string
  readonly inboxId: string | null
  /** The caller's own, 1 to 200 characters; null for none. */
  readonly idempotencyKey: string | null
  /** SHA-256 of the canonical arguments (`digestOf`). */
  readonly digest: Uint8Array
}

/** How a check of the mailbox settled an operation that was unknown, and by what it was told. */
export interface Resolution {
  readonly method: string
  readonly checkedAt: Date
  /** Our own words. */
  readonly evidence: string
}

/** One write, from its claim on. Never a recipient, a subject or a body. */
export interface Operation {
  readonly operationId: string
  readonly tenantId: string
  readonly principalId: string
  readonly operation: string
  readonly inboxId: string | null
  /** Null while it runs. */
  readonly outcome: Outcome | null
  readonly faultCode: string | null
  readonly stage: WriteStage
  /** Ids and counts, as they were told. */
  readonly result: Readonly<Record<string, Json>> | null
  /** Message-ID of what is sent, set before an octet leaves. */
  readonly rfcMessageId: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly resolvedAt: Date | null
  readonly resolution: Resolution | null
  readonly undoneAt: Date | null
  /** The operation that undid this one. */
  readonly undoneBy: string | null
}

/** The answer to a claim. Only `claimed` may act. */
export type Claim =
  | {
      readonly kind: 'claimed'
      readonly operation: Operation
      /** An equal call of the same caller in the last ten minutes that may have acted; null with an idempotency key. */
      readonly twinId: string | null
    }
  /** The same call was made before: this is what came of it. */
  | { readonly kind: 'replay'; readonly operation: Operation }
  | { readonly kind: 'in_progress'; readonly operation: Operation }
  /** The key was used with other arguments. */
  | { readonly kind: 'conflict' }

/** How an operation ended. */
export interface Settlement {
  readonly outcome: Outcome
  readonly faultCode: string | null
  readonly result: Readonly<Record<string, Json>>
}

/** What is known of a write before it acts, for whoever looks later what became of it. */
export interface OperationNotes {
  /** Message-ID of what is about to be sent or stored. */
  readonly rfcMessageId?: string
  /** Where each message is, in order. */
  readonly items?: readonly OperationItem[]
  /** Ids that the write is about, such as where the messages go; they stand until it is settled. */
  readonly about?: Readonly<Record<string, Json>>
}

/** Marks of one message: `seen`, `flagged`, or names of labels with `label:` in front. */
export interface MarkDelta {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** One message of a write: where it was and where it is, so that it can be undone or looked for. */
export interface OperationItem {
  /** The locators of `MessageRef`; null where there is none. */
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
  readonly status: 'done' | 'failed' | 'unknown' | 'unchanged'
  /** For a change of marks: those that were not so before. */
  readonly marks?: MarkDelta
}
