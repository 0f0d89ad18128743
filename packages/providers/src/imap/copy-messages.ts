import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import {
  actOnMessages,
  type ActOnTargets,
  type Result,
  type Target,
  type Unproven,
} from './act-on-messages.ts'
import { readCopyUid } from './copy-uid.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { copyRef } from './find-copies.ts'
import { packNumberSet } from './number-set.ts'
import { requireTarget } from './require-target.ts'
import type { ImapSession } from './session.ts'
import { sequence, text } from './wire.ts'

/**
 * Copies messages; `newRef` is the copy. RFC 3501 6.4.7: all of one folder or none. Each is `done` when its copy is
 * known: by COPYUID, or found at the destination.
 * @throws folder_not_found, insufficient_scope, provider_*, timeout.
 */
export async function copyMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  await requireTarget(session, to, call)
  const { folderId } = to
  const act: ActOnTargets = async ({ connection }, targets) => {
    const uids = targets.map(({ seen }) => seen.uid)
    const args = [sequence(packNumberSet(uids)), text(folderId, connection.isUtf8)]
    const answer = await execWrite(connection, { command: 'UID COPY', args }, call, { collect: ['OK'] })
    if (isFailure(answer)) return new Map(targets.map((target) => [target, answer]))
    const copied = readCopyUid(answer.section, answer.lines, uids.length)
    return new Map(
      targets.map((target): [Target, Result | Unproven] => {
        const uid = copied?.byUid.get(target.seen.uid)
        return copied === null || uid === undefined
          ? [target, { status: 'unproven', folderId, prove }]
          : [target, prove(copyRef(target, { folderId, uidValidity: copied.uidValidity, uid }))]
      }),
    )
  }
  return actOnMessages(session, refs, call, { act })
}

function prove(copy: MessageRef | null): Result {
  return copy === null ? { status: 'unknown', fault: unseen() } : { status: 'done', newRef: copy }
}

function unseen(): Fault {
  return new Fault('provider_error', {
    public:
      'The mail server confirmed the copy, but it does not show where it should be. Do not repeat it; operation_get looks what became of it.',
    internal: 'COPY confirmed, not seen',
  })
}
