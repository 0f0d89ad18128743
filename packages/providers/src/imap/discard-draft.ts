import type { DraftRef, ItemOutcome, WriteCall } from '@postern/mail'
import { removeDraft } from './remove-draft.ts'
import type { ImapSession } from './session.ts'

/**
 * Removes one draft; where the server cannot remove a single message, it is flagged as deleted and no longer listed.
 * @throws draft_stale (gone, changed, or no draft), provider_*, timeout.
 */
export async function discardDraft(
  session: ImapSession,
  draft: DraftRef,
  call: WriteCall,
): Promise<ItemOutcome> {
  const { outcome } = await removeDraft(session, draft, call)
  return outcome
}
