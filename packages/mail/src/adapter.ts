import type { Log } from '@postern/core'
import type { Capabilities } from './capabilities.ts'
import type { Folder, FolderId } from './folder.ts'
import type { Found, Message, MessageRef } from './message.ts'
import type { Anchor, PageRequest } from './page.ts'
import type { PartContent, PartId, PartRequest } from './part.ts'
import type { Coverage, SearchQuery } from './search-query.ts'

/**
 * Last argument of every verb. A fired signal stops reads and queued work. `deadline` is absolute; a verb
 * that reaches it throws `timeout` or, where its result can say so, reports what it did not reach.
 */
export interface Call {
  readonly signal: AbortSignal
  readonly deadline: Date
  readonly log: Log
}

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

export interface SearchCount extends Coverage {
  readonly count: number
}

/** A large part, not held in memory: octets with the transfer encoding undone. */
export interface PartStream {
  readonly sizeBytes: number | null
  readonly octets: AsyncIterable<Uint8Array>
}

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
  /** Full header set and part tree of each message, in order; one missing message is an item, not a throw. */
  getMessages(refs: readonly MessageRef[], call: Call): Promise<readonly Found<Message>[]>
  /** Small parts, in the order asked. @throws message_not_found, provider_*, timeout. */
  readParts(ref: MessageRef, parts: readonly PartRequest[], call: Call): Promise<readonly PartContent[]>
  /** A large part, or the stored message as it is. @throws message_not_found, provider_*, timeout. */
  openPart(
    ref: MessageRef,
    part: { partId: PartId; encoding: string } | 'original',
    call: Call,
  ): Promise<PartStream>
}

/** One mailbox, opened for one caller. Later slices (write, send, destroy) join when a tool needs them. */
export interface MailAdapter extends ReadMail {
  readonly provider: ProviderKind
  readonly capabilities: Capabilities
  close(): Promise<void>
}
