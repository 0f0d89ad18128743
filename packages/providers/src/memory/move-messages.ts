import type { ItemOutcome, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import { requireTarget } from './require-target.ts'
import type { MemorySession } from './session.ts'

export async function moveMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  to: MoveTarget,
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  requireTarget(session, to)
  return actOnMessages(session, { verb: 'moveMessages', refs }, call, ({ folder }, ref) =>
    folder.folderId === to.folderId ? 'unchanged' : session.mailbox.move(ref, to.folderId),
  )
}
