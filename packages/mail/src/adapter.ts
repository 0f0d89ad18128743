import type { ArrivalQuery, FolderMark } from './arrival.ts'
import type { Call } from './call.ts'
import type { Capabilities } from './capabilities.ts'
import type { Folder, FolderId } from './folder.ts'
import type { FolderOutcome, FolderRemovalOutcome } from './folder-outcome.ts'
import type { Found, Message, MessageRef } from './message.ts'
import type { Anchor, PageRequest } from './page.ts'
import type { ComposedMessage } from './composed-message.ts'
import type { DraftOutcome, DraftPage, DraftRef } from './draft.ts'
import type { ItemOutcome } from './item-outcome.ts'
import type { FolderChange, FolderRemoval, MarkChange, MoveTarget } from './mailbox-change.ts'
import type { PartContent, PartId, PartRequest } from './part.ts'
import type { SendReceipt } from './send-receipt.ts'
import type { Thread, ThreadRef } from './thread.ts'
import type { LookIn, Whereabouts } from './whereabouts.ts'
import type { WriteCall } from './write-call.ts'
import type { Coverage, SearchQuery } from './search-query.ts'

export const providerKinds = ['imap', 'sandbox'] as const
export type ProviderKind = (typeof providerKinds)[number]

/** How folders are seen: a listing up to a minute old will do, or it is of now, or of now and with totals. */
export type FolderView = 'known' | 'now' | 'counted'

/** A page of messages in arrival order, newest first. */
export interface ListPage {
  readonly messages: readonly MessageRow[]
  /** Exact number of messages that the listing ranges over. */
  readonly total: number
  readonly hasMore: boolean
}

/**
 * A row of a page. A message whose answer could not be read keeps its place: `isBroken`, with whatever was there.
 * `anchor` is where a cursor continues after this row.
 */
export interface MessageRow {
  readonly message: Message
  readonly isBroken: boolean
  readonly anchor: Anchor
}

/** A page of search results, newest received first (ties: see `Anchor`), and what it covered. */
export interface SearchPage extends Coverage {
  readonly messages: readonly MessageRow[]
  /** Exact when every candidate was checked; null when unknown. */
  readonly total: number | null
  readonly hasMore: boolean
}

/** A row with how far its folder is seen with it. */
export interface Arrival extends MessageRow {
  readonly mark: FolderMark
}

/** What has arrived, the oldest first: in each folder in the order of arrival, over several by the date of receipt. */
export interface ArrivalPage extends Coverage {
  readonly arrivals: readonly Arrival[]
  /** Where each folder that was searched began; see `marksAfter`. */
  readonly starts: readonly FolderMark[]
  /** Where each folder goes on; one that failed keeps the mark that was given, if any was. */
  readonly marks: readonly FolderMark[]
  /** There is more to look at behind the marks already. */
  readonly hasMore: boolean
}

export interface SearchCount extends Coverage {
  readonly count: number
}

/** A large part, not held in memory: octets with the transfer encoding undone. */
export interface PartStream {
  readonly sizeBytes: number | null
  readonly octets: AsyncIterable<Uint8Array>
}

type Refs = readonly MessageRef[]

/** Reading. No verb of this slice changes a flag, a folder or a message. Verbs throw only Faults. */
export interface ReadMail {
  /** Every folder, INBOX first, then by path; totals are taken within the bounds of the provider. */
  listFolders(view: FolderView, call: Call): Promise<readonly Folder[]>
  /**
   * One folder's newest arrivals, in at most two round trips (three with `isUnreadOnly`), whatever the folder's size.
   * @throws folder_not_found, cursor_expired (the folder was rebuilt since the anchor).
   */
  listMessages(
    folderId: FolderId,
    options: { isUnreadOnly: boolean },
    page: PageRequest,
    call: Call,
  ): Promise<ListPage>
  /**
   * Searches the query's folders; one that fails is reported, not thrown, unless all fail.
   * @throws query_unsupported, query_too_broad, provider_*, timeout.
   */
  searchMessages(query: SearchQuery, page: PageRequest, call: Call): Promise<SearchPage>
  /**
   * Counts exactly. Failed folders and degradation are reported for the caller to refuse.
   * @throws timeout rather than a partial number.
   */
  countMessages(query: SearchQuery, call: Call): Promise<SearchCount>
  /** The folder with the role drafts, without what is only flagged as deleted. @throws folder_role_missing, provider_*, timeout. */
  listDrafts(page: PageRequest, call: Call): Promise<DraftPage>
  /**
   * What arrived behind the marks and satisfies the query, each message once, whatever its date: arrival is told by
   * place. Where a folder was rebuilt meanwhile, the last messages seen are found again by what they are.
   * @throws provider_*, timeout; the first folder's failure when all fail.
   */
  listArrivals(query: ArrivalQuery, call: Call): Promise<ArrivalPage>
  /**
   * Watches folders: `look` runs once the watch stands, so that nothing falls between a look before and the watch,
   * and again after each sign of change, until it answers something. Null when the deadline comes first: a dead
   * connection gives no sign, so whoever needs to know that there was nothing looks once more.
   * @throws what `look` throws, `signal.reason`.
   */
  waitForChange<T>(
    folderIds: readonly FolderId[],
    look: () => Promise<T | null>,
    call: Call,
  ): Promise<T | null>
  /** Full header set and part tree of each message, in order; one missing message is an item, not a throw. */
  getMessages(refs: readonly MessageRef[], call: Call): Promise<readonly Found<Message>[]>
  /** Where each message lies and how it is marked, in order; what is not there is an item. @throws provider_*, timeout. */
  locateMessages(refs: readonly MessageRef[], lookIn: LookIn, call: Call): Promise<readonly Whereabouts[]>
  /**
   * The conversation of a message, sent and archived mail included, in headers: no body is looked at. A folder that
   * fails, and a bound that is reached, are told by `isComplete`.
   * @throws message_not_found, also for a thread that is not there; provider_*, timeout.
   */
  listThread(thread: ThreadRef, call: Call): Promise<Thread>
  /** Small parts, in the order asked. @throws message_not_found, provider_*, timeout. */
  readParts(ref: MessageRef, parts: readonly PartRequest[], call: Call): Promise<readonly PartContent[]>
  /** A large part, or the stored message as it is. @throws message_not_found, provider_*, timeout. */
  openPart(
    ref: MessageRef,
    part: { partId: PartId; encoding: string } | 'original',
    call: Call,
  ): Promise<PartStream>
}

/**
 * Changing a mailbox. An act on many messages answers for each of them; what a verb throws means that nothing was
 * changed for any. A message is found again when it moved, and a reused UID is never acted upon.
 */
export interface OrganizeMail {
  /** @throws capability_unavailable (labels where the server keeps none), provider_*, timeout. */
  setMarks(refs: Refs, change: MarkChange, call: WriteCall): Promise<readonly ItemOutcome[]>
  /** @throws folder_not_found, capability_unavailable, insufficient_scope (a discarding target), provider_*, timeout. */
  moveMessages(refs: Refs, to: MoveTarget, call: WriteCall): Promise<readonly ItemOutcome[]>
  copyMessages(refs: Refs, to: MoveTarget, call: WriteCall): Promise<readonly ItemOutcome[]>
}

/** Drafts. A ref that is not at its address any more is stale: it is not looked for, since another draft may be found. */
export interface DraftMail {
  /**
   * Stores a draft, reads it back, then removes the one it replaces: a crash leaves two, never none.
   * @throws draft_stale, folder_role_missing, provider_*, timeout; then nothing was changed.
   */
  saveDraft(message: ComposedMessage, replaces: DraftRef | null, call: WriteCall): Promise<DraftOutcome>
  /** Removes that draft, and never a message that is none. @throws draft_stale, provider_*, timeout. */
  discardDraft(draft: DraftRef, call: WriteCall): Promise<ItemOutcome>
}

/** Folders and drafts. */
export interface WriteMail extends OrganizeMail, DraftMail {
  /**
   * Creates a folder with the parents it lacks, or renames one; the ids of messages in it go on working.
   * @throws invalid_arguments (no name of a folder), folder_name_taken, folder_name_reserved (also for renaming a
   * folder with a role), folder_not_found, folder_provider_error, provider_*, timeout.
   */
  saveFolder(change: FolderChange, call: WriteCall): Promise<FolderOutcome>
}

/** Submission. Held by the outbox alone, so that no tool passes by the rules of sending. */
export interface SendMail {
  /**
   * Throws only before it has begun to reach the server, or where `call.enter` forbids the next step; never once the
   * first octet of the message has left.
   */
  sendMessage(message: ComposedMessage, call: WriteCall): Promise<SendReceipt>
  /**
   * The octets of a stored draft as they were frozen, with Date set; the draft goes once they are accepted.
   * @throws draft_stale, as `sendMessage` otherwise.
   */
  sendDraft(draft: DraftRef, frozen: ComposedMessage, call: WriteCall): Promise<SendReceipt>
}

/** Throwing messages away. */
export interface DiscardMail {
  /** Moves to the folder with the role trash; what is there already is unchanged. @throws folder_role_missing. */
  trashMessages(refs: Refs, call: WriteCall): Promise<readonly ItemOutcome[]>
  /**
   * For ever, and just these, where their refs say that they lie: one that is not there is not looked for, since a copy
   * of it could be found. @throws capability_unavailable.
   */
  deleteMessages(refs: Refs, call: WriteCall): Promise<readonly ItemOutcome[]>
}

/** Throwing folders away. */
export interface DestroyMail extends DiscardMail {
  /**
   * With the mail in it, where the provider keeps mail in folders.
   * @throws folder_not_found, folder_name_reserved (a role, or folders below it), insufficient_scope (mail in it that
   * the caller may not discard), provider_*, timeout.
   */
  deleteFolder(removal: FolderRemoval, call: WriteCall): Promise<FolderRemovalOutcome>
}

/** One mailbox, opened for one caller. */
export interface MailAdapter extends ReadMail, WriteMail, SendMail, DestroyMail {
  readonly provider: ProviderKind
  readonly capabilities: Capabilities
  close(): Promise<void>
}
