import { timeoutFault } from '@postern/core'
import type { Call, SearchCount, SearchQuery } from '@postern/mail'
import { walkFolders } from '../walk-folders.ts'
import { countFolder } from './search-folder.ts'
import { degradedOf, startSearch } from './search-state.ts'
import { withFolder, type ImapSession } from './session.ts'

/**
 * Counts folder by folder, by the server alone where it can decide everything.
 * @throws timeout rather than a part of the number; provider_* when every folder fails.
 */
export async function countMessages(
  session: ImapSession,
  { criterion, folderIds }: SearchQuery,
  call: Call,
): Promise<SearchCount> {
  const state = startSearch(criterion, session.ownerAddresses)
  const walk = await walkFolders(folderIds, call, (folderId) =>
    withFolder(session, { folderId, view: 'now' }, call, (mailbox) =>
      countFolder({ mailbox, ownAddresses: session.ownerAddresses }, state),
    ),
  )
  if (walk.foldersFailed.some(({ code }) => code === 'not_reached')) throw timeoutFault()
  return {
    count: walk.visited.reduce((sum, { value }) => sum + value, 0),
    foldersSearched: walk.foldersSearched,
    foldersFailed: walk.foldersFailed,
    degraded: degradedOf(state),
  }
}
