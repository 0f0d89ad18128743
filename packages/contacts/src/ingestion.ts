import type { Checkpoint } from '@postern/mail'
import type { Observation } from './sighting.ts'

/** One worker's hold on the headers of one inbox. Whoever lost it can store nothing any more. */
export interface IngestionLease {
  readonly tenantId: string
  readonly inboxId: string
  readonly token: string
  /** Variant keys of the owner: of the inbox's address, its identities, and what enough mail in Sent bears. */
  readonly ownAddresses: readonly string[]
  /** Null: nothing was read yet. */
  readonly checkpoint: Checkpoint | null
}

/** One page of headers, digested. */
export interface IngestedPage {
  readonly observations: readonly Observation[]
  /** Messages that lie in Spam now: what they told is taken back, until they are met elsewhere. */
  readonly withdrawn: readonly Uint8Array[]
  /** Messages that could not be digested; the third time they are skipped for good. */
  readonly failed: readonly FailedMessage[]
  /** Null: the page is to be read again, as something in it failed for the first or second time. */
  readonly checkpoint: Checkpoint | null
  readonly covered: number
  readonly total: number
  readonly hasMore: boolean
}

export interface FailedMessage {
  /** Digest of where it lies. */
  readonly place: Uint8Array
  /** Our own word for what went wrong; nothing of the message. */
  readonly cause: string
}

/** Where the worker keeps what it read. Every method is one short transaction. */
export interface IngestionDesk {
  /** Null: somebody else holds it, or the inbox is gone. A hold ends by itself some time after its last page. */
  take(tenantId: string, inboxId: string): Promise<IngestionLease | null>
  /**
   * Observations, checkpoint and progress together, or none of them.
   * @returns the hold to go on with; null when it was lost, and then nothing was stored.
   */
  save(lease: IngestionLease, page: IngestedPage): Promise<IngestionLease | null>
  /** How many times each of these places has failed. */
  countFailures(lease: IngestionLease, places: readonly Uint8Array[]): Promise<readonly number[]>
  /** Lets go; not before `pauseUntil` where the provider wants to be left alone. */
  release(lease: IngestionLease, pauseUntil: Date | null): Promise<void>
}
