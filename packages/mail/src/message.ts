import type { Fault } from '@postern/core'
import type { FolderId } from './folder.ts'
import type { HeaderField } from './header.ts'
import type { Flags } from './mark.ts'
import type { Part } from './part.ts'
import type { RawText } from './text.ts'

/**
 * How an adapter finds a message again. `locator` is opaque to everyone else, at most 26 octets, and
 * carries identity beside place, so that it survives moves (`message-id.ts` seals it into a `message_id`).
 */
export interface MessageRef {
  readonly locator: Uint8Array
}

/** First words of a message without a second round trip: server-made text, or octets of the part that comes first. */
export type Preview =
  | { readonly kind: 'text'; readonly text: RawText }
  | { readonly kind: 'octets'; readonly partId: string; readonly octets: Uint8Array }

/** A message as an adapter knows it: placed, marked, with the header fields that were asked for and its part tree. */
export interface Message {
  readonly ref: MessageRef
  readonly folderId: FolderId
  /** Decoded name of the folder, where it is known without another command; else null. */
  readonly folderName: RawText | null
  /** Gmail label ids or IMAP keywords; empty elsewhere. */
  readonly labels: readonly RawText[]
  readonly flags: Flags
  /** When the receiving server took it (IMAP INTERNALDATE), not the Date header. */
  readonly receivedAt: Date
  readonly sizeBytes: number | null
  /** The provider's own thread id, or null where threads are derived. */
  readonly nativeThreadId: string | null
  /** In the order of the message, raw octets; decoded by `header.ts`. */
  readonly headers: readonly HeaderField[]
  /** Null when the provider's description of the structure could not be read. */
  readonly tree: Part | null
  readonly preview: Preview | null
}

/** One answer per ref, in order: the value, or why this one could not be had. */
export type Found<T> =
  | { readonly ref: MessageRef; readonly isFound: true; readonly value: T }
  | { readonly ref: MessageRef; readonly isFound: false; readonly fault: Fault }
