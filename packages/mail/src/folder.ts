import type { RawText } from './text.ts'

/** Provider-native folder id: an IMAP mailbox name exactly as the server spells it, a Gmail label id. */
export type FolderId = string

export const folderRoles = [
  'inbox',
  'sent',
  'drafts',
  'trash',
  'archive',
  'spam',
  'all',
  'flagged',
  'important',
] as const
export type FolderRole = (typeof folderRoles)[number]

/** Where messages are. `path` joins decoded levels with `/`; `name` is the last level. Both are a stranger's text. */
export interface Folder {
  readonly folderId: FolderId
  readonly name: RawText
  readonly path: RawText
  readonly type: 'folder' | 'label'
  readonly role: FolderRole | null
  readonly isSelectable: boolean
  /** Message counts, or null when not counted (never 0 for unknown). */
  readonly total: number | null
  readonly unread: number | null
}
