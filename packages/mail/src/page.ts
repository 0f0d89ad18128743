/**
 * The row a page ended with. Rows are ordered by `receivedAt` descending, then by `tie` ascending, which is
 * the hexadecimal locator: a total order that every adapter and a merge over inboxes can continue from.
 */
export interface Anchor {
  readonly receivedAt: Date
  readonly tie: string
  /** Where the row stood when it was read (IMAP sequence number): a hint for arrival order, not a truth. */
  readonly rank: number | null
}

export interface PageRequest {
  readonly limit: number
  /** Rows to pass over; 0 with an anchor. */
  readonly offset: number
  readonly after: Anchor | null
}

/** Below zero when `a` comes before `b` in search order: received later, or at the same time with the smaller tie. */
export function compareAnchors(a: Anchor, b: Anchor): number {
  const byTime = b.receivedAt.getTime() - a.receivedAt.getTime()
  if (byTime !== 0 || a.tie === b.tie) return byTime
  return a.tie < b.tie ? -1 : 1
}
