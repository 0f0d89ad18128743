import type { FolderRemoval, FolderRemovalOutcome, WriteCall } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import { enterVerb } from './faults.ts'
import { foldersBelow, requireFolder } from './folder-paths.ts'
import type { MemorySession } from './session.ts'

export async function deleteFolder(
  session: MemorySession,
  removal: FolderRemoval,
  call: WriteCall,
): Promise<FolderRemovalOutcome> {
  await enterVerb(session, 'deleteFolder', call)
  requireRemovable(session, removal)
  await call.enter('change')
  // Mail may have come in, or a folder below, while the step was written down.
  requireRemovable(session, removal)
  session.mailbox.removeFolder(removal.folderId)
  return { status: 'done' }
}

/** @throws folder_not_found, folder_name_reserved, insufficient_scope. */
function requireRemovable({ mailbox }: MemorySession, { folderId, mayDiscard }: FolderRemoval): void {
  const folder = requireFolder(mailbox, folderId)
  if (folder.role !== null) throw folderChangeFaults.hasRole()
  if (foldersBelow(mailbox, folder).length > 0) throw folderChangeFaults.hasChildren()
  if (folder.messages.length > 0 && !mayDiscard) throw folderChangeFaults.hasMail()
}
