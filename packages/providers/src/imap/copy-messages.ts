import { Fault } from '@postern/core'
import type { FolderId, ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import { actOnMessages, type Result, type Target } from './act-on-messages.ts'
import { readCopyUid } from './copy-uid.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { findCopies } from './find-copies.ts'
import { packNumberSet } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { requireTarget } from './require-target.ts'
import type { ImapSession } from './session.ts'
import { sequence, text } from './wire.ts'

/**
 * Copies messages; `newRef` is the copy. RFC 3501 6.4.7: all of one folder or none.
 * @throws folder_not_found, insufficient_scope, provider_*, timeout.
 */
export async function copyMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  await requireTarget(session, to, call)
  return actOnMessages(session, refs, call, (mailbox, targets) =>
    copyTargets({ session, mailbox, folderId: to.folderId, call }, targets),
  )
}

interface Copying {
  readonly session: ImapSession
  readonly mailbox: OpenMailbox
  readonly folderId: FolderId
  readonly call: WriteCall
}

/** Each is `done` when its copy is known: by COPYUID, or found at the destination. */
export async function copyTargets(
  copying: Copying,
  targets: readonly Target[],
): Promise<ReadonlyMap<Target, Result>> {
  const { mailbox, folderId, call } = copying
  const { connection } = mailbox
  const uids = targets.map(({ seen }) => seen.uid)
  const answer = await execWrite(
    connection,
    { command: 'UID COPY', args: [sequence(packNumberSet(uids)), text(folderId, connection.isUtf8)] },
    call,
    { collect: ['OK'] },
  )
  if (isFailure(answer)) return new Map(targets.map((target) => [target, answer]))
  const copies = await findCopies(copying, targets, readCopyUid(answer.section, answer.lines, uids.length))
  return new Map(
    targets.map((target): [Target, Result] => {
      const newRef = copies.get(target)
      return [
        target,
        newRef === undefined ? { status: 'unknown', fault: unseen() } : { status: 'done', newRef },
      ]
    }),
  )
}

function unseen(): Fault {
  return new Fault('provider_error', {
    public:
      'The mail server confirmed the copy, but it does not show where it should be. Do not repeat it; operation_get looks what became of it.',
    internal: 'COPY confirmed, not seen',
  })
}
