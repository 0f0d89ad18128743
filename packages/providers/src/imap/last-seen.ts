import { maxRemembered, type Seen } from './arrival-mark.ts'
import { unavailable } from './faults.ts'
import { fetchMessages, type FetchedMessage, type FetchWish } from './fetch-messages.ts'
import type { OpenMailbox } from './pool.ts'

/** Messages of a rebuilt folder among which those that were seen are sought, from the newest on. */
const maxSought = 1_000
const soughtAtOnce = 250

/** Just what a message is known by. */
const identityWish: FetchWish = { headers: [], withPreview: false, withStructure: false }

/**
 * The newest messages of the open mailbox, the last first: what it is known again by when its UIDs change.
 * @throws provider_*, timeout; also where the server shows none of those it counted.
 */
export async function newestMessages(mailbox: OpenMailbox): Promise<readonly FetchedMessage[]> {
  const rows = await fetchDown(mailbox, mailbox.exists, maxRemembered)
  // They may just have been expunged by others; that there is nothing would be a guess.
  if (rows.length === 0 && mailbox.exists > 0) throw unavailable('lost', 'FETCH brought none of the newest')
  return rows
}

/**
 * The UID that the newest of these messages has now: they are given the last first, and the first that is found is
 * the place to go on from. Null: none of them is among the newest 1,000. @throws provider_*, timeout.
 */
export async function findSeen(mailbox: OpenMailbox, last: readonly Seen[]): Promise<number | null> {
  const uidOf = new Map<Seen, number>()
  const [newest] = last
  for (let top = mailbox.exists; top > Math.max(0, mailbox.exists - maxSought); top -= soughtAtOnce) {
    if (last.length === 0) return null
    for (const { uid, identities, place } of await fetchDown(mailbox, top, soughtAtOnce)) {
      const seen = last.find(
        (one) => identities.includes(one.identity) && one.receivedSeconds === place.receivedSeconds,
      )
      // Of several copies the newest: the rows come from the newest down.
      if (seen !== undefined && !uidOf.has(seen)) uidOf.set(seen, uid)
    }
    if (newest !== undefined && uidOf.has(newest)) break
  }
  const found = last.find((seen) => uidOf.has(seen))
  return found === undefined ? null : (uidOf.get(found) ?? null)
}

/** That many messages by sequence number from `top` down, the newest first. */
async function fetchDown(
  mailbox: OpenMailbox,
  top: number,
  count: number,
): Promise<readonly FetchedMessage[]> {
  const numbers = Array.from({ length: Math.min(top, count) }, (_, index) => top - index)
  if (numbers.length === 0) return []
  const rows = await fetchMessages(mailbox, { by: 'sequence', numbers }, identityWish, null)
  return rows.toSorted((a, b) => b.uid - a.uid)
}
