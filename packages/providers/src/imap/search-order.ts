import { compareAnchors, type Anchor } from '@postern/mail'
import { fetchFacts, datesOnly } from './fetch-facts.ts'
import { folderDigest } from './locator.ts'
import type { OpenMailbox } from './pool.ts'
import { requireSearch, type FoundUids, type Searcher } from './run-search.ts'

/** A message of the open mailbox with its place in search order; without `receivedAt` only its neighbours are known. */
export interface Placed {
  readonly uid: number
  readonly receivedAt: Date | null
}

/** Matches whose dates are simply all fetched; above it the newest are narrowed down by days. */
const maxDated = 2_000
/** Days of the windows in which the newest are sought. */
const windowDays = [7, 28, 112, 448, 1_792, 7_168]
const dayMs = 86_400_000

/**
 * UIDs in search order: received last first, equal instants by UID. At least the first `count` behind the anchor
 * are there, and in their places; what follows them may be missing where the server cannot sort.
 */
export async function inSearchOrder(
  searcher: Searcher,
  { uids, isSorted }: FoundUids,
  { count, after }: { count: number; after: Anchor | null },
): Promise<readonly Placed[]> {
  const { mailbox } = searcher
  if (isSorted) {
    const from = after === null ? 0 : await positionBehind(mailbox, uids, after)
    return uids.slice(from).map((uid) => ({ uid, receivedAt: null }))
  }
  if (uids.length <= maxDated) return behind(mailbox, await dated(mailbox, uids), after)
  return newestByDays(searcher, uids, { count, after })
}

/** Puts dates to rows that have none. A row whose message is gone stays without. */
export async function withDates(mailbox: OpenMailbox, rows: readonly Placed[]): Promise<readonly Placed[]> {
  const missing = rows.filter(({ receivedAt }) => receivedAt === null).map(({ uid }) => uid)
  const facts = await fetchFacts(mailbox, missing, datesOnly)
  return rows.map(({ uid, receivedAt }) => ({
    uid,
    receivedAt: receivedAt ?? facts.get(uid)?.receivedAt ?? null,
  }))
}

/** The anchor of a row, as far as it orders: ties are locators, which begin with folder, UIDVALIDITY and UID. */
export function orderAnchor(mailbox: OpenMailbox, uid: number, receivedAt: Date): Anchor {
  return { receivedAt, tie: tieOf(mailbox, uid), rank: null }
}

function tieOf({ folderId, uidValidity }: OpenMailbox, uid: number): string {
  return `${folderDigest(folderId)}${hex32(uidValidity)}${hex32(uid)}`
}

function hex32(value: number): string {
  return value.toString(16).padStart(8, '0')
}

function isBehind(mailbox: OpenMailbox, { uid, receivedAt }: Placed, after: Anchor | null): boolean {
  if (after === null || receivedAt === null) return after === null
  const own = orderAnchor(mailbox, uid, receivedAt)
  return compareAnchors(own, { ...after, tie: after.tie.slice(0, own.tie.length) }) > 0
}

function behind(mailbox: OpenMailbox, rows: readonly Placed[], after: Anchor | null): readonly Placed[] {
  return rows.filter((row) => isBehind(mailbox, row, after))
}

async function dated(mailbox: OpenMailbox, uids: readonly number[]): Promise<readonly Placed[]> {
  const facts = await fetchFacts(mailbox, uids, datesOnly)
  return [...facts]
    .map(([uid, { receivedAt }]) => ({ uid, receivedAt }))
    .sort((a, b) => b.receivedAt.getTime() - a.receivedAt.getTime() || a.uid - b.uid)
}

/**
 * Where the rows behind the anchor begin among sorted UIDs: at the anchor's own message, or, where that has gone or
 * lies elsewhere, by looking at the dates of a few rows at a time.
 */
async function positionBehind(mailbox: OpenMailbox, uids: readonly number[], after: Anchor): Promise<number> {
  const own = uids.findIndex((uid) => after.tie.startsWith(tieOf(mailbox, uid)))
  if (own !== -1) return own + 1
  let low = 0
  let high = uids.length
  while (low < high) {
    const step = Math.max(1, Math.ceil((high - low) / 64))
    const indexes = Array.from({ length: Math.ceil((high - low) / step) }, (_, index) => low + index * step)
    const rows = await withDates(
      mailbox,
      indexes.map((index) => ({ uid: uids[index] ?? 0, receivedAt: null })),
    )
    // A message that has gone tells nothing; the first that is behind the anchor bounds the place from above.
    const known = rows.flatMap((row, index) =>
      row.receivedAt === null ? [] : [{ row, at: indexes[index] ?? low }],
    )
    const first = known.findIndex(({ row }) => isBehind(mailbox, row, after))
    const previous = first === -1 ? known.at(-1) : known[first - 1]
    if (first !== -1) high = known[first]?.at ?? high
    low = Math.min(high, previous === undefined ? low : previous.at + 1)
    if (step === 1) return high
  }
  return high
}

/** The newest without SORT: days back from now, or from the anchor, until enough of the UIDs are among them. */
async function newestByDays(
  searcher: Searcher,
  uids: readonly number[],
  { count, after }: { count: number; after: Anchor | null },
): Promise<readonly Placed[]> {
  const { mailbox } = searcher
  const wanted = new Set(uids)
  const start = after?.receivedAt.getTime() ?? Date.now()
  for (const days of windowDays) {
    const floor = Math.floor(start / dayMs - days) * dayMs
    const found = await requireSearch(searcher, { kind: 'since', at: new Date(floor) }, false)
    const window = found.uids.filter((uid) => wanted.has(uid))
    if (window.length < count) continue
    // The server's days are those of a zone of its own: only a day further in is the window surely whole.
    const whole = (await dated(mailbox, window)).filter(
      ({ receivedAt }) => receivedAt !== null && receivedAt.getTime() >= floor + dayMs,
    )
    const rows = behind(mailbox, whole, after)
    if (rows.length >= count) return rows
  }
  return behind(mailbox, await dated(mailbox, uids), after)
}
