import { rawText, type Call, type Folder, type FolderView } from '@postern/mail'
import { enterVerb } from './faults.ts'
import type { MemoryFolder } from './mailbox.ts'
import type { MemorySession } from './session.ts'

export async function listFolders(
  session: MemorySession,
  view: FolderView,
  call: Call,
): Promise<readonly Folder[]> {
  await enterVerb(session, 'listFolders', call)
  return session.mailbox
    .folders()
    .toSorted((a, b) => Number(b.role === 'inbox') - Number(a.role === 'inbox') || (a.path < b.path ? -1 : 1))
    .map((folder) => toFolder(folder, view === 'counted' && folder.isSelectable))
}

/** A folder as a noun; its messages are counted where that was asked for. */
export function toFolder(
  { folderId, path, role, isSelectable, messages }: MemoryFolder,
  isCounted: boolean,
): Folder {
  return {
    folderId,
    name: rawText(path.slice(path.lastIndexOf('/') + 1)),
    path,
    type: 'folder',
    role,
    isSelectable,
    total: isCounted ? messages.length : null,
    unread: isCounted ? messages.filter(({ flags }) => !flags.seen).length : null,
  }
}
