import type { FolderId, FolderRole } from './folder.ts'
import type { HeaderField } from './header.ts'
import type { MessageRef } from './message.ts'

/**
 * How far the headers of a mailbox have been read. The adapter's own words: ASCII text of at most 1 MiB, good on every
 * instance and for as long as the mailbox is there; no address and no name of a folder stands in it.
 */
export type Checkpoint = string

/** A message as the contact book meets it: its header fields, and never a subject or a body. */
export interface HeaderEntry {
  readonly ref: MessageRef
  readonly folderId: FolderId
  /** Of the folder it was met in; `sent` makes it mail of the owner, `spam` takes back what it told. */
  readonly folderRole: FolderRole | null
  readonly receivedAt: Date
  /** The provider's name of the message wherever it lies (EMAILID of RFC 8474, a Gmail id); null where there is none. */
  readonly stableId: string | null
  readonly isDraft: boolean
  /** Those of `contactHeaderNames` that it has, raw, in the order of the message; of spam only Message-ID, Date, From. */
  readonly headers: readonly HeaderField[]
  /** Its answer could not be read: nothing but its place is known. */
  readonly isBroken: boolean
}

/** The only fields that are ever asked for. */
export const contactHeaderNames = [
  'From',
  'Sender',
  'Reply-To',
  'To',
  'Cc',
  'Bcc',
  'Date',
  'Message-ID',
  'List-Id',
  'List-Post',
  'List-Unsubscribe',
  'List-Help',
  'Precedence',
  'Auto-Submitted',
  'Feedback-ID',
  'Return-Path',
  'Authentication-Results',
  'Received',
  'X-Postern',
] as const

/** The next headers behind a checkpoint: what arrived since comes first, then what is older, the newest first. */
export interface HeaderPage {
  readonly entries: readonly HeaderEntry[]
  /** To be stored together with what the entries told: whoever goes on from it gets what follows, and nothing is lost. */
  readonly checkpoint: Checkpoint
  /** There is more to read behind the checkpoint already. */
  readonly hasMore: boolean
  /** Messages behind the checkpoint, and messages in the folders that are read; both as of now, for a percentage. */
  readonly covered: number
  readonly total: number
  /** Folders that could not be read this time; their part of the checkpoint is as it was. */
  readonly foldersFailed: readonly FolderId[]
}
