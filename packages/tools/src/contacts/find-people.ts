import type { InboxRecord } from '@postern/access'
import type { InboxCoverage } from '@postern/contacts'
import type { ActionContext } from '../define-tool.ts'
import { bookScope } from './book-scope.ts'
import { joinLive } from './join-live.ts'
import { scanLive, type LiveScan } from './live-scan.ts'
import type { Person } from './person.ts'

/** Inboxes that are asked for what the book does not know yet. */
const maxScanned = 20
/** How far `total` counts. */
const maxTotal = 1_000

export interface PeopleQuery {
  readonly text: string
  readonly order: 'latest' | 'ranked'
  readonly limit: number
  readonly offset: number
  readonly interactions: number
}

export interface PeoplePage {
  readonly people: readonly Person[]
  readonly total: number
  readonly isEstimate: boolean
  readonly isScanTruncated: boolean
  readonly hasMore: boolean
}

/**
 * The people of the book who match, and those whom only mail that the book has not read yet knows: of inboxes that are
 * not fully read the mailbox itself is asked. An inbox that fails is left out and told.
 * @throws the first inbox's failure when all fail and the book knows nobody.
 */
export async function findPeople(query: PeopleQuery, context: ActionContext): Promise<PeoplePage> {
  const { deps, now } = context
  const scope = bookScope(context)
  const coverage = await deps.book.coverage(scope)
  const partial = coverage.filter(({ state }) => state !== 'complete')
  if (partial.length === 0) {
    const { cards, total, isTotalFloor, hasMore } = await deps.book.search(scope, { ...query, now })
    return { people: cards, total, isEstimate: isTotalFloor, isScanTruncated: false, hasMore }
  }
  const whole = { ...query, limit: query.offset + query.limit, offset: 0, now }
  const [page, scans] = await Promise.all([
    deps.book.search(scope, whole),
    scanLive(inboxesOf(partial, context).slice(0, maxScanned), query.text, context),
  ])
  tellCoverage(partial, scans, context)
  const joined = await joinLive(page.cards, scans, query, context)
  const failure = scans.find(({ fault }) => fault !== null)?.fault
  const isAllFailed = scans.length === scope.inboxIds.length && scans.every(({ fault }) => fault !== null)
  if (failure !== undefined && failure !== null && isAllFailed && joined.people.length === 0) throw failure
  const end = query.offset + query.limit
  return {
    people: joined.people.slice(query.offset, end),
    total: Math.min(maxTotal, page.total + joined.added),
    isEstimate: true,
    isScanTruncated: scans.some(({ isTruncated }) => isTruncated),
    hasMore: page.hasMore || joined.people.length > end,
  }
}

function inboxesOf(partial: readonly InboxCoverage[], { reachable }: ActionContext): readonly InboxRecord[] {
  const wanted = new Set(partial.map(({ inboxId }) => inboxId))
  return reachable.filter(({ inboxId }) => wanted.has(inboxId))
}

function tellCoverage(
  partial: readonly InboxCoverage[],
  scans: readonly LiveScan[],
  { note }: ActionContext,
): void {
  for (const { inboxId, covered, total } of partial.slice(0, 5))
    note(
      `Inbox ${inboxId}: the book has read ${covered} of ${total} messages, and the newest others that match were looked at now. Counts and total are at least these.`,
    )
  for (const { inbox, fault } of scans)
    if (fault !== null) note(`Inbox ${inbox.inboxId} could not be asked for newer mail (${fault.code}).`)
  const skipped = partial.length - scans.length
  if (skipped > 0)
    note(
      `${skipped} more inboxes are not fully read and were not asked: one call asks at most ${maxScanned}.`,
    )
}
