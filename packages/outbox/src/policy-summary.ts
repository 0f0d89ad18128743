import type { Principal } from '@postern/access'

/** What is ruled for a key in an inbox, in a few words: whom it may write to, how much, and what waits for approval. */
export interface PolicySummary {
  readonly sendApproval: boolean
  readonly bulkReview: boolean
  /** Kinds of the rules, all of which must allow; empty: anyone. A list of nobody is `nobody`. */
  readonly recipientRules: readonly string[]
  readonly sendsPerDay: number | null
  /** Of the day of UTC; null without a cap. */
  readonly sendsLeftToday: number | null
}

export interface PolicyDirectory {
  /** By inbox_id; an inbox for which nothing is ruled is left out. */
  list(principal: Principal, now: Date): Promise<ReadonlyMap<string, PolicySummary>>
}
