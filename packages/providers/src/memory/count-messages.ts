import { timeoutFault } from '@postern/core'
import type { Call, SearchCount, SearchQuery } from '@postern/mail'
import { walkFolders } from '../walk-folders.ts'
import { enterVerb } from './faults.ts'
import { findMatches } from './search-messages.ts'
import type { MemorySession } from './session.ts'

export async function countMessages(
  session: MemorySession,
  query: SearchQuery,
  call: Call,
): Promise<SearchCount> {
  await enterVerb(session, 'countMessages', call)
  const walk = await walkFolders(query.folderIds, call, (folderId) =>
    findMatches(session, query, folderId, call),
  )
  // A folder that was not reached would make the number a guess; one that failed is for the caller to judge.
  if (walk.foldersFailed.some(({ code }) => code === 'not_reached')) throw timeoutFault()
  return {
    count: walk.visited.reduce((sum, { value }) => sum + value.length, 0),
    foldersSearched: walk.foldersSearched,
    foldersFailed: walk.foldersFailed,
    degraded: [],
  }
}
