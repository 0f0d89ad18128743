/**
 * The adapter in its simplest form: a mailbox in memory. It is what the sandbox inbox runs on, everybody's test
 * double, and the example to read before writing another: a list of bindings, and one file for each verb.
 *
 * A verb gets the session, then what the port gives it. It begins with `enterVerb`, answers in the nouns of
 * `@postern/mail` and throws only Faults. Failures are ordered through `MemoryFaults`, never by replacing a verb.
 *
 * A verb that changes something looks again once `call.enter` has let it on, since others may have come first; from
 * there to the change nothing is awaited. What is sent goes to the mailboxes that a `MemoryPost` knows, never out.
 */
import type { MailAdapter, ProviderKind } from '@postern/mail'
import { memoryCapabilities } from './capabilities.ts'
import { copyMessages } from './copy-messages.ts'
import { countMessages } from './count-messages.ts'
import { deleteFolder } from './delete-folder.ts'
import { deleteMessages } from './delete-messages.ts'
import type { MemoryFaults } from './faults.ts'
import { getMessages } from './get-messages.ts'
import { discardDraft } from './discard-draft.ts'
import { listArrivals } from './list-arrivals.ts'
import { listDrafts } from './list-drafts.ts'
import { listFolders } from './list-folders.ts'
import { listMessages } from './list-messages.ts'
import { listThread } from './list-thread.ts'
import { locateMessages } from './locate-messages.ts'
import type { MemoryMailbox } from './mailbox.ts'
import { moveMessages } from './move-messages.ts'
import { openPart } from './open-part.ts'
import { createMemoryPost, type MemoryPost } from './post.ts'
import { readParts } from './read-parts.ts'
import { saveDraft } from './save-draft.ts'
import { saveFolder } from './save-folder.ts'
import { searchMessages } from './search-messages.ts'
import { sendDraft } from './send-draft.ts'
import { sendMessage } from './send-message.ts'
import type { MemorySession } from './session.ts'
import { setMarks } from './set-marks.ts'
import { trashMessages } from './trash-messages.ts'
import { waitForChange } from './wait-for-change.ts'

export interface MemoryAdapterOptions {
  readonly provider?: ProviderKind
  /** Addresses of the owner, for `from:me`. */
  readonly ownAddresses?: readonly string[]
  readonly faults?: MemoryFaults
  /** Whom this mailbox can write to; without one, its owner's own addresses. */
  readonly post?: MemoryPost
}

export function createMemoryAdapter(mailbox: MemoryMailbox, options: MemoryAdapterOptions = {}): MailAdapter {
  const ownAddresses = options.ownAddresses ?? []
  const session: MemorySession = {
    mailbox,
    ownAddresses,
    faults: options.faults ?? {},
    post: options.post ?? createMemoryPost(ownAddresses.map((address) => [address, mailbox])),
  }
  return {
    provider: options.provider ?? 'sandbox',
    capabilities: memoryCapabilities,
    listFolders: (view, call) => listFolders(session, view, call),
    listMessages: (folderId, { isUnreadOnly }, page, call) =>
      listMessages(session, { folderId, isUnreadOnly }, page, call),
    searchMessages: (query, page, call) => searchMessages(session, query, page, call),
    countMessages: (query, call) => countMessages(session, query, call),
    listArrivals: (query, call) => listArrivals(session, query, call),
    waitForChange: (folderIds, look, call) => waitForChange(session, folderIds, look, call),
    getMessages: (refs, call) => getMessages(session, refs, call),
    locateMessages: (refs, lookIn, call) => locateMessages(session, refs, lookIn, call),
    listThread: (thread, call) => listThread(session, thread, call),
    readParts: (ref, parts, call) => readParts(session, ref, parts, call),
    openPart: (ref, part, call) => openPart(session, ref, part, call),
    setMarks: (refs, change, call) => setMarks(session, refs, change, call),
    moveMessages: (refs, to, call) => moveMessages(session, refs, to, call),
    copyMessages: (refs, to, call) => copyMessages(session, refs, to, call),
    listDrafts: (page, call) => listDrafts(session, page, call),
    saveDraft: (message, replaces, call) => saveDraft(session, message, replaces, call),
    discardDraft: (draft, call) => discardDraft(session, draft, call),
    saveFolder: (change, call) => saveFolder(session, change, call),
    sendMessage: (message, call) => sendMessage(session, message, call),
    sendDraft: (draft, frozen, call) => sendDraft(session, draft, frozen, call),
    trashMessages: (refs, call) => trashMessages(session, refs, call),
    deleteMessages: (refs, call) => deleteMessages(session, refs, call),
    deleteFolder: (removal, call) => deleteFolder(session, removal, call),
    close: async () => undefined,
  }
}

export {
  createMemoryMailbox,
  type MemoryFolderInit,
  type MemoryMailbox,
  type MemoryMessageInit,
} from './mailbox.ts'
export type { MemoryFaults, SmtpReply, SubmissionFaults, Verb } from './faults.ts'
export { createMemoryPost, type MemoryPost } from './post.ts'
