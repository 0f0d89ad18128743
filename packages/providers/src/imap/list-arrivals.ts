import type { ArrivalPage, ArrivalQuery, Call, Criterion, FolderId, FolderMark } from '@postern/mail'
import { mergeArrivals, type FolderArrivals } from '../merge-arrivals.ts'
import { walkFolders } from '../walk-folders.ts'
import { maxRemembered, packMark, unpackMark, type ArrivalMark } from './arrival-mark.ts'
import { prepareCheck } from './check-candidates.ts'
import type { FetchedMessage, FetchWish } from './fetch-messages.ts'
import { fetchRows, withRowWish } from './fetch-rows.ts'
import { findSeen, newestMessages } from './last-seen.ts'
import { noIdentity } from './locator.ts'
import { toRow } from './message-row.ts'
import { chunk } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { findCandidates } from './search-folder.ts'
import { degradedOf, startSearch, type SearchState } from './search-state.ts'
import { withFolder, type ImapSession } from './session.ts'

/** Candidates checked in one round trip. */
const checkWidth = 100

interface Look {
  readonly session: ImapSession
  readonly mailbox: OpenMailbox
  readonly state: SearchState
  readonly limit: number
  readonly wish: FetchWish
}

/**
 * Folder by folder: the newest UID there is, what matches between the mark and it, and the rows of the first. Only
 * what a FETCH has shown counts as seen, never what UIDNEXT announces. Each folder is opened anew, since a session may be
 * slow to hear of what is new.
 */
export async function listArrivals(
  session: ImapSession,
  asked: ArrivalQuery,
  call: Call,
): Promise<ArrivalPage> {
  const walk = await walkFolders(asked.query.folderIds, call, (folderId) =>
    withRowWish(call, (wish) =>
      withFolder(session, { folderId, view: 'anew' }, call, (mailbox) => {
        // One for each folder: where checks run out, the next look goes on behind them.
        const state = startSearch(asked.query.criterion, session.ownerAddresses)
        return lookInto({ session, mailbox, state, limit: asked.limit, wish }, asked)
      }),
    ),
  )
  return mergeArrivals(walk, asked)
}

async function lookInto(look: Look, { since, marks }: ArrivalQuery): Promise<FolderArrivals> {
  const { mailbox, limit, session, wish, state } = look
  const { folderId } = mailbox
  const given = marks.find((mark) => mark.folderId === folderId)
  const newest = await newestMessages(mailbox)
  const start = await startIn({ mailbox, newest, since }, given === undefined ? null : unpackMark(given.at))
  const top = Math.max(start.seen, topOf(newest))
  const found = top === start.seen ? { uids: [], reached: top } : await matchesUpTo(look, start, top)
  const wanted = found.uids.slice(0, limit)
  const rows = (await fetchRows(session, mailbox, { by: 'uid', numbers: wanted, wish })).toSorted(
    (a, b) => a.uid - b.uid,
  )
  const reached = found.uids.length > limit ? (wanted.at(-1) ?? start.seen) : found.reached
  const remembered = [...newest, ...rows.toReversed()].filter(({ uid }) => uid <= reached)
  return {
    arrivals: rows.map((row) => ({ ...toRow(row), mark: markOf(folderId, goOn(start, row.uid, [row])) })),
    start: markOf(folderId, start),
    end: markOf(folderId, goOn(start, reached, remembered)),
    hasMore: reached < top,
    degraded: degradedOf(state),
  }
}

/** The mark moved on to a UID; what it remembered stays where nothing newer is there. */
function goOn(start: ArrivalMark, seen: number, newest: readonly FetchedMessage[]): ArrivalMark {
  const last = newest
    .filter(({ place }) => place.identity !== noIdentity)
    .map(({ place: { identity, receivedSeconds } }) => ({ identity, receivedSeconds }))
  return { ...start, seen, last: last.length > 0 ? last.slice(0, maxRemembered) : start.last }
}

function topOf(newest: readonly FetchedMessage[]): number {
  return newest[0]?.uid ?? 0
}

function markOf(folderId: FolderId, mark: ArrivalMark): FolderMark {
  return { folderId, at: packMark(mark) }
}

/** Where this look begins, in the numbers that the folder has now. */
async function startIn(
  { mailbox, newest, since }: { mailbox: OpenMailbox; newest: readonly FetchedMessage[]; since: Date },
  known: ArrivalMark | null,
): Promise<ArrivalMark> {
  const { uidValidity } = mailbox
  const top = topOf(newest)
  if (known === null) {
    return { uidValidity, seen: 0, base: top, sinceSeconds: since.getTime() / 1_000, last: [] }
  }
  if (known.uidValidity === uidValidity) return known
  // The folder was rebuilt, and its UIDs say nothing any more.
  const found = await findSeen(mailbox, known.last)
  // Where what lay there from the start was not all looked at, the date goes on telling.
  if (found !== null) return { ...known, uidValidity, seen: found, base: known.seen < known.base ? top : 0 }
  const [last] = known.last
  const wasEmpty = last === undefined && known.base === 0
  const sinceSeconds = Math.max(known.sinceSeconds, last?.receivedSeconds ?? 0)
  return { ...known, uidValidity, seen: 0, base: wasEmpty ? 0 : top, sinceSeconds }
}

interface Matches {
  /** In the order of arrival; one more than the limit where there are more. */
  readonly uids: readonly number[]
  /** Up to it everything was looked at. */
  readonly reached: number
}

/** Matches behind the mark: first among what lay there from the start, where the date counts, then behind that. */
async function matchesUpTo(look: Look, start: ArrivalMark, top: number): Promise<Matches> {
  const { seen, base, sinceSeconds } = start
  const { criterion } = look.state
  if (seen >= base) return matchesIn(look, criterion, { above: seen, top })
  const dated: Criterion = { kind: 'since', at: new Date(sinceSeconds * 1_000) }
  const old = await matchesIn(look, { kind: 'and', of: [criterion, dated] }, { above: seen, top: base })
  if (old.reached < base || old.uids.length > look.limit || top === base) return old
  const later = await matchesIn(look, criterion, { above: base, top })
  return { uids: [...old.uids, ...later.uids], reached: later.reached }
}

/**
 * Checked from the oldest on and no further than is needed. Where the checks of this look run out, what was reached is
 * told instead of passing over the rest.
 */
async function matchesIn(
  { mailbox, session, state: whole, limit }: Look,
  criterion: Criterion,
  { above, top }: { above: number; top: number },
): Promise<Matches> {
  const searcher = { mailbox, ownAddresses: session.ownerAddresses, range: `${above + 1}:${top}` }
  const state: SearchState = { ...whole, criterion }
  const { plan, found } = await findCandidates(searcher, state, false)
  const check = await prepareCheck(searcher, state, { plan, found })
  whole.isAsciiOnly = state.isAsciiOnly
  whole.isCharsetDegraded ||= state.isCharsetDegraded
  // `n:*` and a server that counts differently: nothing outside of the range is taken.
  const candidates = found.uids.filter((uid) => uid > above && uid <= top).toSorted((a, b) => a - b)
  const uids: number[] = []
  let reached = above
  for (const some of chunk(candidates, checkWidth)) {
    if (state.checksLeft < some.length) return { uids, reached }
    uids.push(...(await check.filter(some)))
    reached = some.at(-1) ?? reached
    whole.checksLeft = state.checksLeft
    if (uids.length > limit) return { uids, reached }
  }
  return { uids, reached: top }
}
