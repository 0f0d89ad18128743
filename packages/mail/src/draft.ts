import type { Message, MessageRef } from './message.ts'

/** A stored draft as it was last seen. On IMAP each change of it makes a new one. */
export interface DraftRef {
  readonly ref: MessageRef
}

/** A draft after it was written and read back. */
export interface SavedDraft {
  readonly draft: DraftRef
  readonly message: Message
  /**
   * What became of the draft that it replaces: `hidden` where the server cannot expunge a single message and it is
   * only flagged as deleted; `left` where it could not be removed, so that there are two now. Null: it replaces none.
   */
  readonly replaced: 'removed' | 'hidden' | 'left' | null
}

/** One row of the drafts, newest update first. */
export interface DraftSummary {
  readonly draft: DraftRef
  readonly message: Message
}
