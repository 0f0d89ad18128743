import { Fault } from '@postern/core'
import type { ComposedMessage, DraftRef, SavedDraft, SendReceipt, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { afterSending } from './after-sending.ts'
import { draftsFolder } from './drafts-folder.ts'
import { removeDraft } from './remove-draft.ts'
import { requireDraft } from './require-draft.ts'
import { sendMessage } from './send-message.ts'
import type { ImapSession } from './session.ts'

/**
 * Submits the frozen octets of a draft, and removes it once they were accepted. In every other case it stays.
 * @throws draft_stale, folder_role_missing, as `sendMessage`; then nothing was sent.
 */
export async function sendDraft(
  session: ImapSession,
  draft: DraftRef,
  frozen: ComposedMessage,
  call: WriteCall,
): Promise<SendReceipt> {
  await requireDraft(session, draft, await draftsFolder(session, call), call)
  const receipt = await sendMessage(session, frozen, call)
  return receipt.outcome === 'sent' ? { ...receipt, draft: await removeSent(session, draft, call) } : receipt
}

/** Just that draft. One that was changed meanwhile is another, and the one that was sent is gone already. */
async function removeSent(
  session: ImapSession,
  draft: DraftRef,
  call: WriteCall,
): Promise<SavedDraft['replaced']> {
  const after = afterSending(call, 'draft_removal')
  const removal = await attempt(
    () => removeDraft(session, draft, after),
    after,
    () => true,
  )
  if (removal instanceof Fault) return removal.code === 'draft_stale' ? 'removed' : 'left'
  if (removal.outcome.status !== 'done') return 'left'
  return removal.isHidden ? 'hidden' : 'removed'
}
