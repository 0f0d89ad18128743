import type { Call, DraftRef, FolderId } from '@postern/mail'
import { getMessages } from './get-messages.ts'
import { draftStale, requireDraftRef } from './remove-draft.ts'
import type { ImapSession } from './session.ts'

/** @throws draft_stale unless that draft lies in that folder where its ref says. */
export async function requireDraft(
  session: ImapSession,
  draft: DraftRef,
  folderId: FolderId,
  call: Call,
): Promise<void> {
  requireDraftRef(draft, folderId)
  const [found] = await getMessages(session, [draft.ref], call)
  if (found?.isFound !== true) throw draftStale()
  const { ref, flags, folderId: there } = found.value
  const isSame = Buffer.from(ref.locator).equals(draft.ref.locator)
  if (!flags.draft || there !== folderId || !isSame) throw draftStale()
}
