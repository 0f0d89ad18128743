import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import type { MemorySession } from './session.ts'

export async function deleteMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  return actOnMessages(session, { verb: 'deleteMessages', refs, isFollowed: false }, call, (_placed, ref) => {
    session.mailbox.remove(ref)
    return null
  })
}
