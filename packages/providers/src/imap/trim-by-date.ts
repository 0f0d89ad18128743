import type { Criterion } from '@postern/mail'
import { datesOnly, fetchFacts } from './fetch-facts.ts'
import type { OpenMailbox } from './pool.ts'

export type DateCriterion = Extract<Criterion, { kind: 'since' | 'before' }>

/** Messages whose dates are fetched at a time; a border seldom has more beyond it. */
const width = 100

/**
 * Cuts UIDs that are sorted by date, newest first, to those that satisfy every date. The server has been asked for
 * whole days, so what is to be cut lies at the two ends, and only the dates there are fetched.
 */
export async function trimByDate(
  mailbox: OpenMailbox,
  uids: readonly number[],
  dates: readonly DateCriterion[],
): Promise<readonly number[]> {
  const since = Math.max(...dates.map(({ kind, at }) => (kind === 'since' ? at.getTime() : -Infinity)))
  const before = Math.min(...dates.map(({ kind, at }) => (kind === 'before' ? at.getTime() : Infinity)))
  let kept = uids
  if (since !== -Infinity) kept = await dropEnd(mailbox, kept, (receivedAt) => receivedAt >= since)
  if (before === Infinity) return kept
  const oldestFirst = await dropEnd(mailbox, kept.toReversed(), (receivedAt) => receivedAt < before)
  return oldestFirst.toReversed()
}

/** Without the UIDs behind the last one whose date fits. One that is gone has no date and decides nothing. */
async function dropEnd(
  mailbox: OpenMailbox,
  uids: readonly number[],
  fits: (receivedAt: number) => boolean,
): Promise<readonly number[]> {
  for (let end = uids.length; end > 0; end -= width) {
    const some = uids.slice(Math.max(0, end - width), end)
    const facts = await fetchFacts(mailbox, some, datesOnly)
    const last = some.findLastIndex((uid) => {
      const receivedAt = facts.get(uid)?.receivedAt.getTime()
      return receivedAt !== undefined && fits(receivedAt)
    })
    if (last !== -1) return uids.slice(0, Math.max(0, end - width) + last + 1)
  }
  return []
}
