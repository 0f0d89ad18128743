import type { FolderId } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import { folderNotFound } from './faults.ts'
import type { MemoryFolder, MemoryMailbox } from './mailbox.ts'

const inbox = 'INBOX'

/** @throws folder_not_found. */
export function requireFolder(mailbox: MemoryMailbox, folderId: FolderId): MemoryFolder {
  const folder = mailbox.findFolder(folderId)
  if (folder === undefined) throw folderNotFound()
  return folder
}

/** The path of a new folder. @throws folder_name_reserved; INBOX is one name in every case (RFC 3501 5.1). */
export function newPath(levels: readonly string[]): string {
  const [first = '', ...rest] = levels
  const isInbox = first.toUpperCase() === inbox
  if (isInbox && rest.length === 0) throw folderChangeFaults.nameReserved([inbox])
  return [isInbox ? inbox : first, ...rest].join('/')
}

/** @throws folder_name_taken. */
export function requireFree(mailbox: MemoryMailbox, path: string): void {
  const existing = mailbox.folders().find((folder) => folder.path === path)
  if (existing !== undefined) throw folderChangeFaults.nameTaken(existing.folderId)
}

export function foldersBelow(mailbox: MemoryMailbox, { path }: MemoryFolder): readonly MemoryFolder[] {
  return mailbox.folders().filter((folder) => folder.path.startsWith(`${path}/`))
}

/** Levels of the folder above; none at the top. */
export function parentLevels({ path }: MemoryFolder): readonly string[] {
  return path.split('/').slice(0, -1)
}

/** Adds the folders above a path that are not there yet, outermost first. */
export function addParents(mailbox: MemoryMailbox, path: string): void {
  const levels = path.split('/')
  for (const [depth] of levels.entries()) {
    const parent = levels.slice(0, depth).join('/')
    const isThere = depth === 0 || mailbox.folders().some((folder) => folder.path === parent)
    if (!isThere) mailbox.addFolder({ path: parent })
  }
}
