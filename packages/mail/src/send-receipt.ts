import type { Fault } from '@postern/core'
import type { FolderId } from './folder.ts'
import type { MessageRef } from './message.ts'

/** What the submission server said of one recipient. */
export interface RecipientOutcome {
  readonly email: string
  readonly status: 'accepted' | 'rejected' | 'unknown'
  /** Reply code of RFC 5321 4.2, such as 550; null when no reply came. */
  readonly smtpCode: number | null
  /** RFC 3463, such as `5.1.1`; null when none was given. */
  readonly enhancedCode: string | null
}

/** The sender's own copy. Its failure changes nothing about the sending. */
export interface SentCopy {
  readonly status: 'saved' | 'provider_saved' | 'failed' | 'skipped' | 'unknown'
  readonly folderId: FolderId | null
  readonly ref: MessageRef | null
}

/**
 * How a submission ended. `refused` (the server said no, `send_refused`) and `failed` (it could not be reached, or was
 * lost before the message) left nothing behind at the server; `unknown` begins with the first
 * octet of the message and ends with its final answer, and nobody repeats it.
 */
export type SendReceipt =
  | {
      readonly outcome: 'sent'
      /** Every recipient of the envelope; some may be `rejected`. */
      readonly recipients: readonly RecipientOutcome[]
      readonly sentCopy: SentCopy
      /** What became of the draft that was sent, as `SavedDraft.replaced` says it; null: it was none. */
      readonly draft: 'removed' | 'hidden' | 'left' | null
    }
  | {
      readonly outcome: 'refused' | 'failed' | 'unknown'
      /** Those that were spoken of to the server: none where it was not reached. */
      readonly recipients: readonly RecipientOutcome[]
      readonly fault: Fault
    }
