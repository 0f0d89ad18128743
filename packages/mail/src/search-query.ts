import type { FolderId } from './folder.ts'

export type TextField = 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'text'
export type HeaderName = 'message-id' | 'list-id' | 'delivered-to'

/**
 * What a message must satisfy, free of any provider's syntax. `in` and `label` are resolved to folder ids or
 * keywords before an adapter sees them. Text is a literal, case-insensitive fragment; nothing in it is an operator.
 */
export type Criterion =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'and'; readonly of: readonly Criterion[] }
  | { readonly kind: 'or'; readonly of: readonly Criterion[] }
  | { readonly kind: 'not'; readonly of: Criterion }
  | { readonly kind: 'text'; readonly field: TextField; readonly value: string }
  /** `from:me`: any of the owner's addresses, filled in by the adapter's session. */
  | { readonly kind: 'owner'; readonly field: 'from' | 'to' | 'cc' | 'bcc' }
  | { readonly kind: 'header'; readonly name: HeaderName; readonly value: string }
  | { readonly kind: 'flag'; readonly flag: 'seen' | 'flagged' | 'answered'; readonly isSet: boolean }
  | { readonly kind: 'keyword'; readonly keyword: string }
  | { readonly kind: 'folder'; readonly folderId: FolderId }
  | { readonly kind: 'larger'; readonly bytes: number }
  | { readonly kind: 'smaller'; readonly bytes: number }
  /** Received at or after the instant. */
  | { readonly kind: 'since'; readonly at: Date }
  /** Received before the instant. */
  | { readonly kind: 'before'; readonly at: Date }
  | { readonly kind: 'attachment' }
  | { readonly kind: 'filename'; readonly value: string }

/** A criterion and the folders it is put to, in the order they are to be walked. */
export interface SearchQuery {
  readonly criterion: Criterion
  readonly folderIds: readonly FolderId[]
}

/** Why a result may miss or, for `body_as_text`, add messages. */
export type Degraded = 'charset' | 'local_limit' | 'body_as_text'

export interface FolderFailure {
  readonly folderId: FolderId
  /** A fault code, or `not_reached` when the time of the call ended before this folder's turn. */
  readonly code: string
}

/** What a search covered. `degraded` and `foldersFailed` empty means that nothing can be missing. */
export interface Coverage {
  readonly foldersSearched: readonly FolderId[]
  readonly foldersFailed: readonly FolderFailure[]
  readonly degraded: readonly Degraded[]
}
