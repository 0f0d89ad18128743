import type { Fault } from '@postern/core'
import type { WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { FetchedItems } from './fetch-line.ts'
import { requireAbsence } from './faults.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { atom, sequence } from './wire.ts'

/**
 * Which of these UIDs the open mailbox still has, asked behind a change; or what kept it from being asked, which
 * leaves the change as it is and nobody knowing of it.
 */
export function stillThere(
  mailbox: OpenMailbox,
  uids: readonly number[],
  call: WriteCall,
): Promise<ReadonlySet<number> | Fault> {
  return attempt(
    () => look(mailbox, uids),
    { ...call, signal: new AbortController().signal },
    () => true,
  )
}

async function look({ connection }: OpenMailbox, uids: readonly number[]): Promise<ReadonlySet<number>> {
  if (uids.length === 0) return new Set()
  const items = new FetchedItems({ by: 'uid', numbers: uids })
  const answer = await connection.run('UID FETCH', [sequence(packNumberSet(uids)), [atom('UID')]], {
    collect: ['FETCH', 'EXPUNGE'],
    isPatient: true,
    onLine: (line) => items.add(line),
  })
  if (items.list().length === 0) requireAbsence(answer)
  return new Set(items.list().flatMap(({ uid }) => (uid === null ? [] : [uid])))
}
