import { Fault } from '@postern/core'
import type { ComposedMessage, DraftOutcome, DraftRef, SavedDraft, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { enterAfterwards } from '../enter-afterwards.ts'
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
  // Another may have replaced it while the step was written down.
  if (replaces !== null) requireDraft(session, replaces)
  const flags = { draft: true, seen: true }
  const ref = session.mailbox.append(folderId, { raw: octets, receivedAt: new Date(), flags })
  const message = toMessage(session.mailbox.locate(ref))
  const replaced = replaces === null ? null : await removeReplaced(session, replaces, call)
  return { status: 'done', saved: { draft: { ref: message.ref }, message, replaced } }
}

/** The new draft is safe: whatever becomes of the old one is told, and fails nothing. */
async function removeReplaced(
  { mailbox }: MemorySession,
  { ref }: DraftRef,
  call: WriteCall,
): Promise<SavedDraft['replaced']> {
  const removal = await attempt(
    async () => {
      await enterAfterwards(call, 'change')
      if (mailbox.findInPlace(ref) !== null) mailbox.remove(ref)
    },
    { ...call, signal: new AbortController().signal },
    () => true,
  )
  return removal instanceof Fault ? 'left' : 'removed'
}
