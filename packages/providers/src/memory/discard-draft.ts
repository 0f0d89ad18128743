import type { DraftRef, ItemOutcome, WriteCall } from '@postern/mail'
import { requireDraft } from './drafts-folder.ts'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'

export async function discardDraft(
  session: MemorySession,
  draft: DraftRef,
  call: WriteCall,
): Promise<ItemOutcome> {
  await enterVerb(session, 'discardDraft', call)
  requireDraft(session, draft)
  await call.enter('change')
  // It may be another by now, and its twin would be found in its stead.
  requireDraft(session, draft)
  session.mailbox.remove(draft.ref)
  return { ref: draft.ref, status: 'done', newRef: null }
}
