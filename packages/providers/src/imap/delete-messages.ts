import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import { expungeTargets } from './expunge-targets.ts'
import type { ImapSession } from './session.ts'

/**
 * Removes messages for ever, and just these.
 * @throws capability_unavailable where the server cannot expunge single messages (UIDPLUS), provider_*, timeout.
 */
export async function deleteMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  return actOnMessages(session, refs, call, async (mailbox, targets) => {
    if (mailbox.connection.capabilities.has('UIDPLUS')) return expungeTargets(mailbox, targets, call)
    throw new Fault('capability_unavailable', {
      public:
        'This mail server cannot remove single messages for ever, so nothing was deleted. Without permanent they go to Trash.',
    })
  })
}
