import { Fault } from '@postern/core'
import type { FolderId, ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import {
  actOnMessages,
  type ActOnTargets,
  type Result,
  type Target,
  type Unproven,
} from './act-on-messages.ts'
import { copyMessages } from './copy-messages.ts'
import { readCopyUid } from './copy-uid.ts'
import { deleteMessages } from './delete-messages.ts'
import { execWrite, isFailure, lost, type WriteFailure } from './exec-write.ts'
import { copyRef } from './find-copies.ts'
import { packLocator } from './locator.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { requireTarget } from './require-target.ts'
import type { ImapSession } from './session.ts'
import { stillThere } from './still-there.ts'
import { sequence, text } from './wire.ts'

/**
 * Moves messages. With MOVE (RFC 6851) the server does it; without, they are copied, the copies confirmed, and only
 * then just these expunged, which takes UIDPLUS: without that nothing is ever expunged, because a plain EXPUNGE takes
 * along what other clients have marked. `done` needs the copy to be known and the original to be gone.
 * @throws folder_not_found, insufficient_scope, capability_unavailable, provider_*, timeout.
 */
export async function moveMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  await requireTarget(session, to, call)
  const { folderId } = to
  let isByCopy = false
  const act: ActOnTargets = async (mailbox, targets) => {
    if (mailbox.folderId === folderId)
      return new Map(targets.map((target) => [target, { status: 'unchanged' }]))
    const { capabilities } = mailbox.connection
    if (capabilities.has('MOVE')) return move({ mailbox, folderId, call }, targets)
    if (!capabilities.has('UIDPLUS')) throw cannotMove()
    isByCopy = true
    // Only found yet: where each lies is what the copy goes on with.
    return new Map(targets.map((target) => [target, { status: 'done', newRef: refOf(target) }]))
  }
  const outcomes = await actOnMessages(session, refs, call, { act })
  return isByCopy ? copyThenExpunge(session, outcomes, to, call) : outcomes
}

interface Moving {
  readonly mailbox: OpenMailbox
  readonly folderId: FolderId
  readonly call: WriteCall
}

async function move(
  { mailbox, folderId, call }: Moving,
  targets: readonly Target[],
): Promise<ReadonlyMap<Target, Result | Unproven>> {
  const { connection } = mailbox
  const uids = targets.map(({ seen }) => seen.uid)
  const args = [sequence(packNumberSet(uids)), text(folderId, connection.isUtf8)]
  const answer = await execWrite(connection, { command: 'UID MOVE', args }, call, {
    collect: ['OK', 'EXPUNGE'],
  })
  if (isFailure(answer) && answer.status === 'unknown')
    return new Map(targets.map((target) => [target, answer]))
  const lines = isFailure(answer) ? [] : answer.lines
  const copied = isFailure(answer) ? null : readCopyUid(answer.section, lines, uids.length)
  const gone = lines.filter(({ keyword }) => keyword === 'EXPUNGE').length
  const isPlain = copied?.byUid.size === uids.length && gone >= uids.length
  // A refusal may come when some have gone already (RFC 6851 3.3): only a look tells which are still there.
  const left = isPlain ? new Set<number>() : await stillThere(mailbox, uids, call)
  if (left instanceof Fault)
    return new Map(targets.map((target) => [target, { status: 'unknown', fault: lost(left) }]))
  return new Map(
    targets.map((target): [Target, Result | Unproven] => {
      const uid = copied?.byUid.get(target.seen.uid)
      if (left.has(target.seen.uid)) return [target, isFailure(answer) ? answer : unproven()]
      return copied === null || uid === undefined
        ? [target, { status: 'unproven', folderId, prove }]
        : [
            target,
            { status: 'done', newRef: copyRef(target, { folderId, uidValidity: copied.uidValidity, uid }) },
          ]
    }),
  )
}

function prove(copy: MessageRef | null): Result {
  return copy === null ? unproven() : { status: 'done', newRef: copy }
}

function refOf({ seen }: Target): MessageRef {
  return { locator: packLocator(seen.place) }
}

/** What was found is copied, each copy confirmed, and only then the original removed where it lay. */
async function copyThenExpunge(
  session: ImapSession,
  found: readonly ItemOutcome[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  const places = found.flatMap((one) => (one.status === 'done' && one.newRef !== null ? [one.newRef] : []))
  const copied = await copyMessages(session, places, to, call)
  const confirmed = copied.filter(({ status }) => status === 'done').map(({ ref }) => ref)
  const patient = { ...call, signal: new AbortController().signal }
  const removed = await attempt(
    () => deleteMessages(session, confirmed, patient),
    patient,
    ({ code }) => code !== 'operation_in_progress',
  )
  const copyOf = new Map(copied.map((one) => [one.ref, one]))
  const removalOf = new Map(removed instanceof Fault ? [] : removed.map((one) => [one.ref, one]))
  return found.map((one): ItemOutcome => {
    if (one.status !== 'done' || one.newRef === null) return one
    const copy = copyOf.get(one.newRef) ?? one
    if (removed instanceof Fault && copy.status === 'done')
      return { ref: one.ref, status: 'unknown', fault: lost(removed) }
    const removal = removalOf.get(one.newRef)
    if (removal === undefined || removal.status === 'done') return { ...copy, ref: one.ref }
    // Two of it now: nothing is lost, but it was not moved either.
    const { fault } = 'fault' in removal ? removal : unproven()
    return { ref: one.ref, status: 'unknown', fault }
  })
}

function cannotMove(): Fault {
  return new Fault('capability_unavailable', {
    public:
      'This mail server can neither move messages nor remove single ones, so nothing was copied or changed. Copying them (copy) works.',
  })
}

function unproven(): WriteFailure {
  const fault = new Fault('provider_error', {
    public:
      'The mail server confirmed the change, but the message does not show where it should be by now. Do not repeat it; operation_get looks what became of it.',
    internal: 'confirmed, not seen',
  })
  return { status: 'unknown', fault }
}
