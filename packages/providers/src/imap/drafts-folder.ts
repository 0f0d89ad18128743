import { Fault } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import { listFolders } from './list-folders.ts'
import type { ImapSession } from './session.ts'

/** @throws folder_role_missing. */
export async function draftsFolder(session: ImapSession, call: Call): Promise<FolderId> {
  const drafts = (await listFolders(session, 'known', call)).find(({ role }) => role === 'drafts')
  if (drafts !== undefined) return drafts.folderId
  throw new Fault('folder_role_missing', {
    public: 'This mailbox has no folder with the role drafts, so nothing was done. Its owner can name one.',
    details: { role: 'drafts' },
  })
}
