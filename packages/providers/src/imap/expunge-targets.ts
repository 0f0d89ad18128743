import { Fault } from '@postern/core'
import type { WriteCall } from '@postern/mail'
import type { Result, Target } from './act-on-messages.ts'
import { execWrite, isFailure, lost } from './exec-write.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { stillThere } from './still-there.ts'
import { atom, sequence } from './wire.ts'

/**
 * Removes just these messages for ever: marked, then UID EXPUNGE of exactly their UIDs (RFC 4315 2.1), which the
 * server must offer. What other clients have marked as deleted stays.
 */
export async function expungeTargets(
  mailbox: OpenMailbox,
  targets: readonly Target[],
  call: WriteCall,
): Promise<ReadonlyMap<Target, Result>> {
  if (targets.length === 0) return new Map()
  const { connection } = mailbox
  const uids = targets.map(({ seen }) => seen.uid)
  const set = sequence(packNumberSet(uids))
  const all = (result: Result): ReadonlyMap<Target, Result> =>
    new Map(targets.map((target) => [target, result]))
  const flag = [atom('\\Deleted')]
  const marked = await execWrite(
    connection,
    { command: 'UID STORE', args: [set, atom('+FLAGS.SILENT'), flag] },
    call,
  )
  if (isFailure(marked)) return all(marked)
  const answer = await execWrite(connection, { command: 'UID EXPUNGE', args: [set] }, call, {
    collect: ['EXPUNGE'],
  })
  if (isFailure(answer) && answer.status === 'unknown') return all(answer)
  const left = await stillThere(mailbox, uids, call)
  // Marked they are, and perhaps gone: never told as if nothing had happened.
  if (left instanceof Fault) return all({ status: 'unknown', fault: lost(left) })
  if (isFailure(answer) && left.size > 0) {
    // Left marked, another client's EXPUNGE would take them along.
    const rest = sequence(packNumberSet([...left]))
    const args = [rest, atom('-FLAGS.SILENT'), flag]
    const unmarked = await execWrite(connection, { command: 'UID STORE', args }, call)
    if (isFailure(unmarked)) return all({ status: 'unknown', fault: lost(unmarked.fault) })
  }
  return new Map(
    targets.map((target): [Target, Result] => {
      if (!left.has(target.seen.uid)) return [target, { status: 'done', newRef: null }]
      return [target, isFailure(answer) ? answer : { status: 'unknown', fault: stayed() }]
    }),
  )
}

function stayed(): Fault {
  return new Fault('provider_error', {
    public: 'The mail server confirmed the removal, but the message is still there, marked as deleted.',
    internal: 'EXPUNGE confirmed, still there',
  })
}
