import { Fault } from '@postern/core'
import type { FolderId, ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import { actOnMessages, type Result, type Target } from './act-on-messages.ts'
import { copyTargets } from './copy-messages.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { expungeTargets } from './expunge-targets.ts'
import { findCopies } from './find-copies.ts'
import { readCopyUid } from './copy-uid.ts'
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
  return actOnMessages(session, refs, call, async (mailbox, targets) => {
    if (mailbox.folderId === to.folderId)
      return new Map(targets.map((target) => [target, { status: 'unchanged' }]))
    const { capabilities } = mailbox.connection
    if (capabilities.has('MOVE')) return move({ session, mailbox, folderId: to.folderId, call }, targets)
    if (capabilities.has('UIDPLUS'))
      return copyThenExpunge({ session, mailbox, folderId: to.folderId, call }, targets)
    throw new Fault('capability_unavailable', {
      public:
        'This mail server can neither move messages nor remove single ones, so nothing was copied or changed. Copying them (copy) works.',
    })
  })
}

interface Moving {
  readonly session: ImapSession
  readonly mailbox: OpenMailbox
  readonly folderId: FolderId
  readonly call: WriteCall
}

async function move(moving: Moving, targets: readonly Target[]): Promise<ReadonlyMap<Target, Result>> {
  const { mailbox, folderId, call } = moving
  const { connection } = mailbox
  const uids = targets.map(({ seen }) => seen.uid)
  let gone = 0
  const answer = await execWrite(
    connection,
    { command: 'UID MOVE', args: [sequence(packNumberSet(uids)), text(folderId, connection.isUtf8)] },
    call,
    { collect: ['OK', 'EXPUNGE'] },
  )
  // A refusal may come when some have gone already (RFC 6851 3.3): only a look tells which are still there.
  if (isFailure(answer) && answer.status === 'unknown')
    return new Map(targets.map((target) => [target, answer]))
  const lines = isFailure(answer) ? [] : answer.lines
  gone = lines.filter(({ keyword }) => keyword === 'EXPUNGE').length
  const copied = isFailure(answer) ? null : readCopyUid(answer.section, lines, uids.length)
  const left =
    gone >= uids.length && copied?.byUid.size === uids.length
      ? new Set<number>()
      : await stillThere(mailbox, uids)
  const moved = targets.filter(({ seen }) => !left.has(seen.uid))
  const copies = await findCopies(moving, moved, copied)
  return new Map(
    targets.map((target): [Target, Result] => {
      if (isFailure(answer) && left.has(target.seen.uid)) return [target, answer]
      const newRef = copies.get(target) ?? null
      const isDone = !left.has(target.seen.uid) && newRef !== null
      return [target, isDone ? { status: 'done', newRef } : { status: 'unknown', fault: unproven() }]
    }),
  )
}

async function copyThenExpunge(
  moving: Moving,
  targets: readonly Target[],
): Promise<ReadonlyMap<Target, Result>> {
  const copied = await copyTargets(moving, targets)
  const confirmed = targets.filter((target) => copied.get(target)?.status === 'done')
  const removed = await expungeTargets(moving.mailbox, confirmed, moving.call)
  return new Map(
    targets.map((target): [Target, Result] => {
      const copy = copied.get(target) ?? { status: 'unknown', fault: unproven() }
      const removal = removed.get(target)
      if (copy.status !== 'done' || removal === undefined || removal.status === 'done') return [target, copy]
      // Two of it now: nothing is lost, but it was not moved either.
      return [target, { status: 'unknown', fault: 'fault' in removal ? removal.fault : unproven() }]
    }),
  )
}

function unproven(): Fault {
  return new Fault('provider_error', {
    public:
      'The mail server confirmed the change, but the message does not show where it should be by now. Do not repeat it; operation_get looks what became of it.',
    internal: 'confirmed, not seen',
  })
}
