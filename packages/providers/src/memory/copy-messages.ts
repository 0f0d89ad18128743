import type { ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import { requireTarget } from './require-target.ts'
import type { MemorySession } from './session.ts'

export async function copyMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  requireTarget(session, to)
  return actOnMessages(session, { verb: 'copyMessages', refs }, call, (_placed, ref) =>
    session.mailbox.copy(ref, to.folderId),
  )
}
