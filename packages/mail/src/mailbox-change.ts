import type { FolderId } from './folder.ts'

/** A flag that callers may change; `deleted` and `draft` are not theirs. */
export type MarkChange =
  | { readonly kind: 'flag'; readonly flag: 'seen' | 'flagged'; readonly isOn: boolean }
  /** IMAP keywords, or ids of Gmail labels that carry no role. */
  | { readonly kind: 'labels'; readonly add: readonly string[]; readonly remove: readonly string[] }

/**
 * Where messages go. `mayDiscard` says that the caller may throw mail away: without it a folder whose role is
 * trash or spam is refused, however it was spelled, and so is one below it.
 */
export interface MoveTarget {
  readonly folderId: FolderId
  readonly mayDiscard: boolean
}

/**
 * Names are decoded; the adapter spells them as its server wants. `/` in a name separates levels. A new name stands
 * below the parent that the folder has; what lies in the folder, and below it, goes along.
 */
export type FolderChange =
  | { readonly kind: 'create'; readonly parentId: FolderId | null; readonly name: string }
  | { readonly kind: 'rename'; readonly folderId: FolderId; readonly newName: string }

/** A folder to throw away. Without `mayDiscard` only where no message lies in it. */
export interface FolderRemoval {
  readonly folderId: FolderId
  readonly mayDiscard: boolean
}
