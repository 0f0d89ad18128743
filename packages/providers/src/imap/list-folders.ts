import type { Call, Folder, FolderView } from '@postern/mail'
import { countFolders } from './count-folders.ts'
import { isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import type { ImapSession } from './session.ts'
import { toFolders } from './to-folders.ts'

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
  const open = listed.filter(({ attributes }) => isSelectable(attributes)).map(({ folderId }) => folderId)
  const counts = view === 'counted' ? await countFolders(session, open, call) : null
  return toFolders(listed, session.folderRoles, counts)
}
