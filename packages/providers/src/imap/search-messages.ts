import { remainingMs } from '@postern/core'
import {
  compareAnchors,
  type Anchor,
  type Call,
  type FolderId,
  type MessageRow,
  type PageRequest,
  type SearchPage,
  type SearchQuery,
} from '@postern/mail'
import { checkReach } from '../check-reach.ts'
import { walkFolders, type Walk } from '../walk-folders.ts'
import { fetchRows, withRowWish } from './fetch-rows.ts'
import { toRow } from './message-row.ts'
import type { OpenMailbox } from './pool.ts'
import { searchFolder } from './search-folder.ts'
import { orderAnchor, withDates } from './search-order.ts'
import { degradedOf, startSearch, type SearchState } from './search-state.ts'
import { withFolder, type ImapSession } from './session.ts'

/** A match that competes for a place on the page. `order` is null where no other folder competes. */
interface Hit {
  readonly folderId: FolderId
  readonly uidValidity: number
  readonly uid: number
  readonly order: Anchor | null
}

interface Search {
  readonly session: ImapSession
  readonly state: SearchState
  readonly folderIds: readonly FolderId[]
  readonly after: Anchor | null
  /** One more than the page reaches to, to know whether there is more. */
  readonly count: number
}

/**
 * Folder by folder a SORT or SEARCH and whatever has to be checked here; then the rows of the page, one FETCH for each
 * folder they lie in. A search over one folder of a server that sorts takes EXAMINE, SORT and FETCH.
 * @throws query_too_broad, provider_*, timeout; the first folder's failure when all fail.
 */
export async function searchMessages(
  session: ImapSession,
  { criterion, folderIds }: SearchQuery,
  { limit, offset, after }: PageRequest,
  call: Call,
): Promise<SearchPage> {
  checkReach({ limit, offset, after })
  const end = offset + limit
  const state = startSearch(criterion, session.ownerAddresses)
  const { hits, total, walk } = await findHits({ session, state, folderIds, after, count: end + 1 }, call)
  const rows = await readRows(session, hits.slice(offset, end), call)
  const lost = new Set(rows.foldersFailed.map(({ folderId }) => folderId))
  const foldersFailed = [...walk.foldersFailed, ...rows.foldersFailed]
  return {
    messages: rows.messages,
    total: foldersFailed.length > 0 ? null : total,
    hasMore: hits.length > end,
    foldersSearched: walk.foldersSearched.filter((folderId) => !lost.has(folderId)),
    foldersFailed,
    degraded: degradedOf(state),
  }
}

interface Hits {
  /** In search order over all folders. */
  readonly hits: readonly Hit[]
  readonly total: number | null
  readonly walk: Walk<number | null>
}

async function findHits(search: Search, call: Call): Promise<Hits> {
  let hits: readonly Hit[] = []
  // What is left when the walk has to end still has to fetch the rows.
  const reserveMs = Math.min(4_000, remainingMs(call.deadline) / 5)
  const walkCall: Call = { ...call, deadline: new Date(call.deadline.getTime() - reserveMs) }
  const walk = await walkFolders(search.folderIds, walkCall, (folderId) =>
    withFolder(search.session, { folderId, view: 'now' }, walkCall, async (mailbox) => {
      const found = await hitsOf(mailbox, search)
      hits = merge(hits, found.hits).slice(0, search.count)
      return found.total
    }),
  )
  const totals = walk.visited.map(({ value }) => value)
  const total = totals.reduce<number | null>(
    (sum, value) => (sum === null || value === null ? null : sum + value),
    0,
  )
  return { hits, total, walk }
}

async function hitsOf(
  mailbox: OpenMailbox,
  { session, state, folderIds, after, count }: Search,
): Promise<{ hits: readonly Hit[]; total: number | null }> {
  const searcher = { mailbox, ownAddresses: session.ownerAddresses }
  const { rows, total } = await searchFolder(searcher, state, { count, after })
  const { folderId, uidValidity } = mailbox
  if (folderIds.length === 1) {
    return { hits: rows.map(({ uid }) => ({ folderId, uidValidity, uid, order: null })), total }
  }
  const hits = (await withDates(mailbox, rows)).flatMap(({ uid, receivedAt }) =>
    receivedAt === null ? [] : [{ folderId, uidValidity, uid, order: orderAnchor(mailbox, uid, receivedAt) }],
  )
  return { hits, total }
}

function merge(left: readonly Hit[], right: readonly Hit[]): readonly Hit[] {
  if (left.length === 0) return right
  return [...left, ...right].sort((a, b) =>
    a.order === null || b.order === null ? 0 : compareAnchors(a.order, b.order),
  )
}

/** The rows of these hits, in their order. A folder that fails now loses its rows and is reported. */
async function readRows(
  session: ImapSession,
  hits: readonly Hit[],
  call: Call,
): Promise<{ messages: readonly MessageRow[]; foldersFailed: Walk<unknown>['foldersFailed'] }> {
  const byFolder = Map.groupBy(hits, ({ folderId }) => folderId)
  const walk = await walkFolders([...byFolder.keys()], call, async (folderId) => {
    const wanted = byFolder.get(folderId) ?? []
    return withRowWish(call, (wish) =>
      withFolder(session, { folderId }, call, async (mailbox) => {
        const numbers = wanted
          .filter(({ uidValidity }) => uidValidity === mailbox.uidValidity)
          .map(({ uid }) => uid)
        return fetchRows(session, mailbox, { by: 'uid', numbers, wish })
      }),
    )
  })
  const rows = new Map(
    walk.visited.map(({ folderId, value }) => [folderId, new Map(value.map((row) => [row.uid, row]))]),
  )
  // A message may have gone between the two commands; the page is a row shorter then.
  const found = hits
    .map(({ folderId, uid }) => rows.get(folderId)?.get(uid))
    .filter((row) => row !== undefined)
  return { messages: found.map(toRow), foldersFailed: walk.foldersFailed }
}
