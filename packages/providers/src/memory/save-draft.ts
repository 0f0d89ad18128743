import type { ComposedMessage, DraftOutcome, DraftRef, WriteCall } from '@postern/mail'
import { draftsFolder, requireDraft } from './drafts-folder.ts'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'
import { toMessage } from './to-message.ts'

export async function saveDraft(
  session: MemorySession,
  { octets }: ComposedMessage,
  replaces: DraftRef | null,
  call: WriteCall,
): Promise<DraftOutcome> {
  await enterVerb(session, 'saveDraft', call)
  const { folderId } = draftsFolder(session)
  if (replaces !== null) requireDraft(session, replaces)
  await call.enter('change')
  const flags = { draft: true, seen: true }
  const ref = session.mailbox.append(folderId, { raw: octets, receivedAt: new Date(), flags })
  const message = toMessage(session.mailbox.locate(ref))
  if (replaces !== null) session.mailbox.remove(replaces.ref)
  return {
    status: 'done',
    saved: { draft: { ref: message.ref }, message, replaced: replaces === null ? null : 'removed' },
  }
}
