import type { FolderId } from './folder.ts'
import type { Flags } from './mark.ts'
import type { MessageRef } from './message.ts'
import type { RawText } from './text.ts'

/**
 * Where to look for a message: where its ref says it lies, wherever it may have gone, or in these folders alone.
 * `anywhere_to_change` is for messages that the next verb changes: their folder is opened once for both.
 * `certain_to_change` is for what cannot be taken back: a message that has left its address is found only where it
 * must be the one, the whole mailbox having been looked through and holding no second one like it.
 */
export type LookIn = 'address' | 'anywhere' | 'anywhere_to_change' | 'certain_to_change' | readonly FolderId[]

/** Where the message of a ref was when the ref was made, and where it is now. */
export interface Whereabouts {
  readonly ref: MessageRef
  /** The folder that the ref names; null where it is no more. */
  readonly homeId: FolderId | null
  /** Null: it is not where it was looked for. */
  readonly now: {
    readonly ref: MessageRef
    readonly folderId: FolderId
    readonly flags: Flags
    /** As of `Message`. */
    readonly labels: readonly RawText[]
  } | null
  /** It was not found, and messages like it were: one of them may be it, or all are copies. */
  readonly isDoubtful: boolean
}
