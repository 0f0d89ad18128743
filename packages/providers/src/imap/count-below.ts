import { requireOk } from './faults.ts'
import { FetchedItems } from './fetch-line.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, sequence } from './wire.ts'

/** Messages asked for at once: one that was expunged meanwhile is not answered, its neighbour is. */
const probeWidth = 4

/**
 * How many messages of the open mailbox have a UID below `uid`: the highest sequence number of them. UIDs rise
 * with sequence numbers (RFC 3501 2.3.1.1), so this is a binary search, one small FETCH a step.
 */
export async function countBelow(mailbox: OpenMailbox, uid: number): Promise<number> {
  let low = 0
  let high = mailbox.exists
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = await uidNear(mailbox, middle, high)
    if (found === null) high = middle - 1
    else if (found.uid < uid) low = found.sequence
    else high = middle - 1
  }
  return low
}

async function uidNear(
  mailbox: OpenMailbox,
  at: number,
  high: number,
): Promise<{ uid: number; sequence: number } | null> {
  const width = Math.min(high - at + 1, probeWidth)
  const numbers = Array.from({ length: width }, (_, index) => at + index)
  const items = new FetchedItems({ by: 'sequence', numbers })
  const set = sequence(packNumberSet(numbers))
  const answer = await mailbox.connection.run('FETCH', [set, [atom('UID')]], {
    collect: ['FETCH'],
    onLine: (line) => items.add(line),
  })
  const known = items.list()
  if (known.length === 0) requireOk(answer, 'FETCH')
  const nearest = known.find((item) => item.uid !== null)
  return nearest === undefined || nearest.uid === null
    ? null
    : { uid: nearest.uid, sequence: nearest.sequence }
}
