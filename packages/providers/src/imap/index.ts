/**
 * A mailbox behind IMAP4rev1 (RFC 3501), on whatever the server offers beside it.
 *
 * A verb never dials: it leases a connection from the pool (`pool.ts`), one per process, with the folder opened by
 * EXAMINE, so that nothing it reads is marked as seen. What it may then ask in one command, it asks in one:
 * a page is one FETCH of a sequence range, a message one FETCH of its headers and structure, its parts one
 * FETCH of their sections. Commands go out over imapflow's `exec` (`connection.ts`) and their lines are read
 * here (`wire.ts`, `fetch-line.ts`), because names, structures and extensions are wanted as the server has them.
 *
 * A message is known by where it was and by what it is (`locator.ts`). Its address is tried first and compared;
 * when it has moved, it is found again by its identity (`locate.ts`). A UID alone is never believed.
 *
 * A server is a stranger: each answer has a bound in octets, each silence a limit, and what it says reaches the
 * log at most (`faults.ts`).
 */
import { remainingMs, timeoutFault } from '@postern/core'
import type { Call, MailAdapter } from '@postern/mail'
import { imapCapabilities } from './capabilities.ts'
import { copyMessages } from './copy-messages.ts'
import { countMessages } from './count-messages.ts'
import { deleteFolder } from './delete-folder.ts'
import { deleteMessages } from './delete-messages.ts'
import { getMessages } from './get-messages.ts'
import { discardDraft } from './discard-draft.ts'
import { listArrivals } from './list-arrivals.ts'
import { listDrafts } from './list-drafts.ts'
import { listFolders } from './list-folders.ts'
import { listMessages } from './list-messages.ts'
import { listThread } from './list-thread.ts'
import { locateMessages } from './locate-messages.ts'
import { moveMessages } from './move-messages.ts'
import { openPart } from './open-part.ts'
import { readParts } from './read-parts.ts'
import { saveDraft } from './save-draft.ts'
import { saveFolder } from './save-folder.ts'
import { searchMessages } from './search-messages.ts'
import { sendDraft } from './send-draft.ts'
import { sendMessage } from './send-message.ts'
import type { ImapSession } from './session.ts'
import { setMarks } from './set-marks.ts'
import { SeenMemory } from './seen-memory.ts'
import { SpotMemory } from './spot-memory.ts'
import { trashMessages } from './trash-messages.ts'
import { waitForChange } from './wait-for-change.ts'

/** One mailbox as the port. Making it dials nothing; closing it closes nothing, the connections are the pool's. */
export function createImapAdapter(access: Omit<ImapSession, 'spots' | 'seen'>): MailAdapter {
  const session: ImapSession = { ...access, spots: new SpotMemory(), seen: new SeenMemory() }
  return {
    provider: 'imap',
    capabilities: imapCapabilities,
    listFolders: async (view, call) => listFolders(session, view, begin(call)),
    listMessages: async (folderId, { isUnreadOnly }, page, call) =>
      listMessages(session, { folderId, isUnreadOnly }, page, begin(call)),
    searchMessages: async (query, page, call) => searchMessages(session, query, page, begin(call)),
    countMessages: async (query, call) => countMessages(session, query, begin(call)),
    listArrivals: async (query, call) => listArrivals(session, query, begin(call)),
    waitForChange: async (folderIds, look, call) => waitForChange(session, folderIds, look, begin(call)),
    getMessages: async (refs, call) => getMessages(session, refs, begin(call)),
    locateMessages: async (refs, lookIn, call) => locateMessages(session, refs, lookIn, begin(call)),
    listThread: async (thread, call) => listThread(session, thread, begin(call)),
    readParts: async (ref, parts, call) => readParts(session, ref, parts, begin(call)),
    openPart: async (ref, part, call) => openPart(session, ref, part, begin(call)),
    setMarks: async (refs, change, call) => setMarks(session, refs, change, begin(call)),
    moveMessages: async (refs, to, call) => moveMessages(session, refs, to, begin(call)),
    copyMessages: async (refs, to, call) => copyMessages(session, refs, to, begin(call)),
    listDrafts: async (page, call) => listDrafts(session, page, begin(call)),
    saveDraft: async (message, replaces, call) => saveDraft(session, message, replaces, begin(call)),
    discardDraft: async (draft, call) => discardDraft(session, draft, begin(call)),
    saveFolder: async (change, call) => saveFolder(session, change, begin(call)),
    sendMessage: async (message, call) => sendMessage(session, message, begin(call)),
    sendDraft: async (draft, frozen, call) => sendDraft(session, draft, frozen, begin(call)),
    deleteFolder: async (removal, call) => deleteFolder(session, removal, begin(call)),
    trashMessages: async (refs, call) => trashMessages(session, refs, begin(call)),
    deleteMessages: async (refs, call) => deleteMessages(session, refs, begin(call)),
    close: async () => undefined,
  }
}

/** A call that is over before it began does not even look into what is remembered. @throws timeout, `signal.reason`. */
function begin<C extends Call>(call: C): C {
  call.signal.throwIfAborted()
  if (remainingMs(call.deadline) === 0) throw timeoutFault()
  return call
}

export { imapCapabilities } from './capabilities.ts'
export { checkConnection, type CheckStep, type ConnectionCheck } from './check-connection.ts'
export { imapCredentialSchema, type ImapCredential } from './credential.ts'
export { autoconfig, submissionOf, type ImapCandidate, type SmtpSettings } from './autoconfig.ts'
export { FolderCache } from './folder-cache.ts'
export {
  createImapPool,
  type AuthFailure,
  type ImapPool,
  type ImapPoolOptions,
  type PoolStats,
} from './pool.ts'
export type { ImapSession } from './session.ts'
export { smtpAccount } from './smtp-account.ts'
export type { SmtpOptions } from './smtp-dial.ts'
export type { SmtpSubmission } from './send-by-smtp.ts'
