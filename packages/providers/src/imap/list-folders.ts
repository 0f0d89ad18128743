import type { Call, Folder, FolderView } from '@postern/mail'
import { countFolders } from './count-folders.ts'
import { folderRolesOf, isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import type { ImapSession } from './session.ts'

/**
 * Every folder, INBOX first, then by path. Counted, the first 200 that can be opened are counted within
 * five seconds; the others have null.
 * @throws provider_*, timeout.
 */
export async function listFolders(
  session: ImapSession,
  view: FolderView,
  call: Call,
): Promise<readonly Folder[]> {
  const listed = await listMailboxes(session, call, view === 'known' ? 'known' : 'now')
  const roles = folderRolesOf(listed, session.folderRoles)
  const open = listed.filter(({ attributes }) => isSelectable(attributes)).map(({ folderId }) => folderId)
  const counts = view === 'counted' ? await countFolders(session, open, call) : null
  return listed.map(({ folderId, name, path, attributes }) => ({
    folderId,
    name,
    path,
    type: 'folder',
    role: roles.get(folderId) ?? null,
    isSelectable: isSelectable(attributes),
    total: counts?.get(folderId)?.total ?? null,
    unread: counts?.get(folderId)?.unread ?? null,
  }))
}
