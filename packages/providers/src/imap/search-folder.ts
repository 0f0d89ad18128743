import type { Anchor } from '@postern/mail'
import { datesOf, prepareCheck } from './check-candidates.ts'
import { chunk } from './number-set.ts'
import { planSearch, type SearchPlan } from './plan-search.ts'
import { requireSearch, runCount, runSearch, type FoundUids, type Searcher } from './run-search.ts'
import { inSearchOrder, type Placed } from './search-order.ts'
import type { SearchState } from './search-state.ts'

export interface FolderMatches {
  /** At most as many as were wanted, in search order. */
  readonly rows: readonly Placed[]
  /** All matches of the folder, or null where not every candidate was checked. */
  readonly total: number | null
}

/** Candidates checked in one round trip while a page is being filled. */
const checkWidth = 100

/** The first matches of the open folder behind an anchor. @throws provider_*, timeout. */
export async function searchFolder(
  searcher: Searcher,
  state: SearchState,
  wanted: { count: number; after: Anchor | null },
): Promise<FolderMatches> {
  const { plan, found } = await findCandidates(searcher, state, true)
  const check = await prepareCheck(searcher, state, { plan, found })
  // Dates are cheap and leave few in doubt: all are checked, so that the total is exact.
  const isCheap = !plan.needs.structure && !plan.needs.headers
  const uids = isCheap ? await check.filter(found.uids) : found.uids
  const reach = isCheap ? wanted.count : wanted.count + state.checksLeft
  const rows = await inSearchOrder(searcher, { ...found, uids }, { ...wanted, count: reach })
  if (isCheap) return { rows: rows.slice(0, wanted.count), total: uids.length }

  const matches: Placed[] = []
  for (const some of chunk(rows, checkWidth)) {
    const kept = new Set(await check.filter(some.map(({ uid }) => uid)))
    matches.push(...some.filter(({ uid }) => kept.has(uid)))
    if (matches.length >= wanted.count) break
  }
  const isWhole = rows.length === uids.length && matches.length < wanted.count && !state.isLocalLimited
  return { rows: matches.slice(0, wanted.count), total: isWhole ? matches.length : null }
}

/** All matches of the open folder, counted. @throws provider_*, timeout. */
export async function countFolder(searcher: Searcher, state: SearchState): Promise<number> {
  const first = planFor(searcher, state)
  if (first.residual === null) {
    const count = await runCount(searcher, first.candidates)
    if (count !== null) return count
  }
  // Sorted by date, only the ends of the days that were asked for have to be looked at.
  const { plan, found } = await findCandidates(searcher, state, datesOf(first.residual) !== null)
  const newestFirst = found.isSorted ? found.uids : found.uids.toSorted((a, b) => b - a)
  const check = await prepareCheck(searcher, state, { plan, found })
  return (await check.filter(newestFirst)).length
}

function planFor({ mailbox }: Searcher, state: SearchState): SearchPlan {
  const plan = planSearch(state.criterion, mailbox.folderId, state.isAsciiOnly)
  if (plan.isCharsetDegraded) state.isCharsetDegraded = true
  return plan
}

/** What the server finds for a search; where it refuses the charset, what it finds without. @throws provider_*, timeout. */
export async function findCandidates(
  searcher: Searcher,
  state: SearchState,
  wantsOrder: boolean,
): Promise<{ plan: SearchPlan; found: FoundUids }> {
  const plan = planFor(searcher, state)
  const found = await runSearch(searcher, plan.candidates, wantsOrder)
  if (found !== null) return { plan, found }
  state.isAsciiOnly = true
  const again = planFor(searcher, state)
  return { plan: again, found: await requireSearch(searcher, again.candidates, wantsOrder) }
}
