import type { Fault } from '@postern/core'
import type { Message, MessageRef } from './message.ts'

/** A stored draft as it was last seen. Each change of it makes a new one where drafts are messages in a folder. */
export interface DraftRef {
  readonly ref: MessageRef
}

/** A draft after it was written and read back. */
export interface SavedDraft {
  readonly draft: DraftRef
  readonly message: Message
  /**
   * What became of the draft that it replaces: `hidden` where the server cannot remove a single message and it is
   * only flagged as deleted; `left` where it could not be removed, so that there are two now. Null: it replaces none.
   */
  readonly replaced: 'removed' | 'hidden' | 'left' | null
}

/** How the writing of a draft ended. `failed` stored nothing; of `unknown` a draft may or may not be there. */
export type DraftOutcome =
  | { readonly status: 'done'; readonly saved: SavedDraft }
  | { readonly status: 'failed' | 'unknown'; readonly fault: Fault }

/** Stored drafts, newest first. */
export interface DraftPage {
  readonly drafts: readonly SavedDraftRow[]
  readonly total: number
  readonly hasMore: boolean
}

export interface SavedDraftRow {
  readonly draft: DraftRef
  readonly message: Message
}
