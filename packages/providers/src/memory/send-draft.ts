import { Fault } from '@postern/core'
import type { ComposedMessage, DraftRef, SavedDraft, SendReceipt, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { enterAfterwards } from '../enter-afterwards.ts'
import { requireDraft } from './drafts-folder.ts'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'
import { submitMessage } from './submit-message.ts'

export async function sendDraft(
  session: MemorySession,
  draft: DraftRef,
  frozen: ComposedMessage,
  call: WriteCall,
): Promise<SendReceipt> {
  await enterVerb(session, 'sendDraft', call)
  requireDraft(session, draft)
  const receipt = await submitMessage(session, frozen, call)
  return receipt.outcome === 'sent' ? { ...receipt, draft: await removeSent(session, draft, call) } : receipt
}

/** Just that draft: one that was changed meanwhile is another. */
async function removeSent(
  { mailbox, faults }: MemorySession,
  { ref }: DraftRef,
  call: WriteCall,
): Promise<SavedDraft['replaced']> {
  const removal = await attempt(
    async () => {
      await enterAfterwards(call, 'draft_removal')
      if (faults.submission?.draftRemoval !== undefined) throw faults.submission.draftRemoval
      if (mailbox.findInPlace(ref) !== null) mailbox.remove(ref)
    },
    { ...call, signal: new AbortController().signal },
    () => true,
  )
  return removal instanceof Fault ? 'left' : 'removed'
}
