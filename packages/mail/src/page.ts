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
