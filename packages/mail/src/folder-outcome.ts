import type { Fault } from '@postern/core'
import type { Folder } from './folder.ts'

/**
 * How a change of a folder ended. `done` was seen in a listing; `unknown`: the change had left when the connection was
 * lost, or it was confirmed and does not show. Whatever left the folders as they were is thrown.
 */
export type FolderOutcome =
  | { readonly status: 'done'; readonly folder: Folder }
  | { readonly status: 'unknown'; readonly fault: Fault }

/** How the removal of a folder ended; as `FolderOutcome`. */
export type FolderRemovalOutcome =
  | { readonly status: 'done' }
  | { readonly status: 'unknown'; readonly fault: Fault }
