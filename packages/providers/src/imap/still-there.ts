import { FetchedItems } from './fetch-line.ts'
import { requireAbsence } from './faults.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, sequence } from './wire.ts'

/** Which of these UIDs the open mailbox still has. @throws provider_*, timeout. */
export async function stillThere(
  { connection }: OpenMailbox,
  uids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (uids.length === 0) return new Set()
  const items = new FetchedItems({ by: 'uid', numbers: uids })
  const answer = await connection.run('UID FETCH', [sequence(packNumberSet(uids)), [atom('UID')]], {
    collect: ['FETCH', 'EXPUNGE'],
    onLine: (line) => items.add(line),
  })
  if (items.list().length === 0) requireAbsence(answer)
  return new Set(items.list().flatMap(({ uid }) => (uid === null ? [] : [uid])))
}
