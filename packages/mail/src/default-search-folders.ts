import type { Folder, FolderId, FolderRole } from './folder.ts'

export interface ScopeOptions {
  /** Adds Spam and Trash, last. */
  readonly includeSpamTrash: boolean
  /** The criterion asks where a message lies (`in:`, `label:`): real folders are searched even if one holds all mail. */
  readonly isByFolder: boolean
}

// Views onto messages that lie elsewhere (RFC 6154, RFC 8457): searching them too would find everything twice.
const views: ReadonlySet<FolderRole | null> = new Set<FolderRole>(['all', 'flagged', 'important'])
const discarded: ReadonlySet<FolderRole | null> = new Set<FolderRole>(['spam', 'trash'])
const first: readonly FolderRole[] = ['inbox', 'sent', 'archive']

/**
 * The folders of a search that names none, in the order they are walked: INBOX, Sent, Archive, then the largest
 * first. A folder that holds all mail stands for the others, because mail archived by Gmail lies nowhere else.
 */
export function defaultSearchFolders(folders: readonly Folder[], options: ScopeOptions): readonly FolderId[] {
  const selectable = folders.filter(({ isSelectable }) => isSelectable)
  const all = options.isByFolder ? undefined : selectable.find(({ role }) => role === 'all')
  const kept =
    all === undefined
      ? selectable.filter(({ role }) => !views.has(role) && !discarded.has(role)).sort(byTurn)
      : [all]
  const added = options.includeSpamTrash ? selectable.filter(({ role }) => discarded.has(role)) : []
  return [...kept, ...added].map(({ folderId }) => folderId)
}

function byTurn(a: Folder, b: Folder): number {
  return turn(a) - turn(b) || (b.total ?? -1) - (a.total ?? -1) || (a.path < b.path ? -1 : 1)
}

function turn({ role }: Folder): number {
  const index = first.findIndex((wanted) => wanted === role)
  return index === -1 ? first.length : index
}
