import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { actOnMessages, type ActOnTargets } from './act-on-messages.ts'
import { expungeTargets } from './expunge-targets.ts'
import type { ImapSession } from './session.ts'

/**
 * Removes messages for ever, and just these, where their refs say that they lie: looked for, a copy could be found.
 * @throws capability_unavailable where the server cannot expunge single messages (UIDPLUS), provider_*, timeout.
 */
export async function deleteMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  const act: ActOnTargets = async (mailbox, targets) => {
    if (mailbox.connection.capabilities.has('UIDPLUS')) return expungeTargets(mailbox, targets, call)
    throw new Fault('capability_unavailable', {
      public:
        'This mail server cannot remove single messages for ever, so nothing was deleted. Without permanent they go to Trash.',
    })
  }
  return refs.length === 0 ? [] : actOnMessages(session, refs, call, { act, isFollowed: false })
}
