import { Fault, type WriteStage } from '@postern/core'
import {
  readMessageFields,
  type ComposedMessage,
  type DraftOutcome,
  type DraftRef,
  type Message,
  type SavedDraft,
  type WriteCall,
} from '@postern/mail'
import { attempt } from '../attempt.ts'
import { enterAfterwards } from '../enter-afterwards.ts'
import { appendMessage } from './append-message.ts'
import { draftsFolder } from './drafts-folder.ts'
import { getMessages } from './get-messages.ts'
import { packLocator, type Place } from './locator.ts'
import { removeDraft } from './remove-draft.ts'
import { requireDraft } from './require-draft.ts'
import type { ImapSession } from './session.ts'

/**
 * Appends a draft, reads it back, and then removes the one it replaces, which is compared first: a stale ref changes
 * nothing, and a crash leaves two drafts, never none.
 * @throws draft_stale, folder_role_missing, provider_*, timeout.
 */
export async function saveDraft(
  session: ImapSession,
  message: ComposedMessage,
  replaces: DraftRef | null,
  call: WriteCall,
): Promise<DraftOutcome> {
  const folderId = await draftsFolder(session, call)
  if (replaces !== null) await requireDraft(session, replaces, folderId, call)
  const { octets, rfcMessageId } = message
  const flags = ['\\Draft', '\\Seen']
  const place = await appendMessage(session, { folderId, octets, flags, rfcMessageId }, call)
  if (place !== null && 'fault' in place) return place
  const stored = place === null ? null : await readBack(session, place, message, call)
  if (stored === null) return { status: 'unknown', fault: unseen() }
  const draft = { ref: stored.ref }
  const replaced = replaces === null ? null : await replace(session, replaces, call)
  return { status: 'done', saved: { draft, message: stored, replaced } }
}

/** The stored draft, when it is what was sent: the same Message-ID, octet count and mark. */
async function readBack(
  session: ImapSession,
  place: Place,
  { octets, rfcMessageId }: ComposedMessage,
  call: WriteCall,
): Promise<Message | null> {
  const patient = { ...call, signal: new AbortController().signal }
  const read = await attempt(
    () => getMessages(session, [{ locator: packLocator(place) }], patient, 'write'),
    patient,
    () => true,
  )
  const [found] = read instanceof Fault ? [] : read
  if (found?.isFound !== true) return null
  const { flags, sizeBytes, headers } = found.value
  const isSame = sizeBytes === octets.length && readMessageFields(headers).rfcMessageId === rfcMessageId
  return flags.draft && isSame ? found.value : null
}

/** The new draft is safe: whatever becomes of the old one is told, and fails nothing. */
async function replace(
  session: ImapSession,
  old: DraftRef,
  call: WriteCall,
): Promise<SavedDraft['replaced']> {
  const patient = {
    ...call,
    signal: new AbortController().signal,
    enter: (stage: WriteStage) => enterAfterwards(call, stage),
  }
  const removal = await attempt(
    () => removeDraft(session, old, patient),
    patient,
    () => true,
  )
  if (removal instanceof Fault || removal.outcome.status !== 'done') return 'left'
  return removal.isHidden ? 'hidden' : 'removed'
}

function unseen(): Fault {
  return new Fault('provider_error', {
    public:
      'The mail server confirmed the draft, but it does not show as it was written. An older version is still there. operation_get looks what became of it.',
    internal: 'APPEND confirmed, not seen as written',
  })
}
