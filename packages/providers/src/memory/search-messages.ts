import {
  compareAnchors,
  matchMessage,
  type Call,
  type FolderId,
  type PageRequest,
  type SearchPage,
  type SearchQuery,
} from '@postern/mail'
import { checkReach } from '../check-reach.ts'
import { walkFolders } from '../walk-folders.ts'
import { enterFolder, enterVerb, folderNotFound } from './faults.ts'
import type { PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'
import { toRow } from './to-message.ts'

export async function searchMessages(
  session: MemorySession,
  query: SearchQuery,
  page: PageRequest,
  call: Call,
): Promise<SearchPage> {
  checkReach(page)
  await enterVerb(session, 'searchMessages', call)
  const walk = await walkFolders(query.folderIds, call, (folderId) =>
    findMatches(session, query, folderId, call),
  )
  const rows = walk.visited
    .flatMap(({ value }) => value)
    .map((placed) => toRow(session, placed, null))
    .sort((a, b) => compareAnchors(a.anchor, b.anchor))
  const { after } = page
  const behind = after === null ? rows : rows.filter(({ anchor }) => compareAnchors(anchor, after) > 0)
  return {
    messages: behind.slice(page.offset, page.offset + page.limit),
    total: walk.foldersFailed.length > 0 ? null : rows.length,
    hasMore: behind.length > page.offset + page.limit,
    foldersSearched: walk.foldersSearched,
    foldersFailed: walk.foldersFailed,
    degraded: [],
  }
}

/** The messages of one folder that satisfy the query. @throws folder_not_found. */
export async function findMatches(
  session: MemorySession,
  { criterion }: SearchQuery,
  folderId: FolderId,
  call: Call,
): Promise<readonly PlacedMessage[]> {
  await enterFolder(session, folderId, call)
  const folder = session.mailbox.findFolder(folderId)
  if (folder?.isSelectable !== true) throw folderNotFound()
  return folder.messages
    .filter(({ parsed, raw, keywords, flags, receivedAt }) =>
      matchMessage(
        criterion,
        { ...parsed, folderId, flags, receivedAt, labels: keywords, sizeBytes: raw.length },
        session.ownAddresses,
      ),
    )
    .map((message) => ({ folder, message }))
}
