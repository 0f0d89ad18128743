import { Fault, silentLog, type FaultCode, type WriteStage } from '@postern/core'
import {
  defaultSearchFolders,
  findHeader,
  parseQuery,
  resolvePlaces,
  type Anchor,
  type Call,
  type FolderId,
  type FolderRole,
  type MailAdapter,
  type MessageRow,
  type PageRequest,
  type SearchPage,
  type SearchQuery,
  type WriteCall,
} from '@postern/mail'
import assert from 'node:assert/strict'
import type { ContractMessage } from './messages.ts'

/** One empty mailbox under test, with a way in that is not the adapter. */
export interface ContractMailbox {
  readonly adapter: MailAdapter
  /** The address that `from:me` means. */
  readonly ownAddress: string
  /**
   * Makes a folder and returns its id, or null where this server refuses such a name. `spelling` is the name as it
   * goes over the wire, for names that no client would spell so.
   */
  addFolder(levels: readonly string[], spelling?: string): Promise<FolderId | null>
  /** False where this server refuses to store such a message. */
  append(folderId: FolderId, message: ContractMessage): Promise<boolean>
  /** Moves the message with this key, as another client would. */
  move(key: string, from: FolderId, to: FolderId): Promise<void>
  /** Marks the message with this key as deleted, as another client would; false where there is no such mark. */
  markDeleted(key: string, folderId: FolderId): Promise<boolean>
  /** Everything a read must leave as it is, of every folder: message numbers, flags, folder names. */
  snapshot(): Promise<string>
  close(): Promise<void>
}

export type MakeMailbox = () => Promise<ContractMailbox>

export function callFor(seconds = 60, signal: AbortSignal = new AbortController().signal): Call {
  return { signal, deadline: new Date(Date.now() + seconds * 1000), log: silentLog }
}

/** A call that may go on to every step, or stops before one of them. */
export function writeCallFor(stopBefore: WriteStage | null = null, call: Call = callFor()): WriteCall {
  return {
    ...call,
    enter: async (stage) => {
      if (stage === stopBefore) throw new Fault('operation_in_progress', { public: 'Ordered by the test.' })
    },
  }
}

/** A call that stops at its n-th step, counted from 1, and at those behind it. */
export function stoppedAtStep(nth: number): WriteCall {
  let steps = 0
  return {
    ...callFor(),
    enter: async () => {
      steps += 1
      if (steps >= nth) throw new Fault('operation_in_progress', { public: 'Ordered by the test.' })
    },
  }
}

/** A test of what was thrown: a Fault with this code. */
export function faultOf(code: FaultCode): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code
}

/** The folder with this role, which is made by its plain name where the server has none yet. */
export async function folderWithRole(
  mailbox: Pick<ContractMailbox, 'adapter' | 'addFolder'>,
  role: FolderRole,
  name: string,
): Promise<FolderId> {
  const find = async (): Promise<FolderId | undefined> =>
    (await mailbox.adapter.listFolders('now', callFor())).find((folder) => folder.role === role)?.folderId
  const there = await find()
  if (there !== undefined) return there
  await mailbox.addFolder([name])
  return (await find()) ?? assert.fail(`no folder with the role ${role}`)
}

/** The key of a message from its Message-ID: `<key@contract.example>`. Empty where it has none. */
export function keyOf({ message }: MessageRow): string {
  return /<([^<>@]*)@contract\.example>/.exec(findHeader(message.headers, 'Message-ID') ?? '')?.[1] ?? ''
}

/** Appends one after the other, so that the order of arrival is the order given. */
export async function seed(
  mailbox: ContractMailbox,
  folderId: FolderId,
  messages: readonly ContractMessage[],
): Promise<void> {
  for (const message of messages) {
    if (!(await mailbox.append(folderId, message))) throw new TypeError('a proper message was refused')
  }
}

/** A query in words, as a caller would put it: default scope, folders of the query added, times in the zone. */
export async function toQuery(adapter: MailAdapter, text: string, timezone = 'UTC'): Promise<SearchQuery> {
  const folders = await adapter.listFolders('known', callFor())
  const parsed = parseQuery(text, { now: new Date(), timezone })
  const { criterion, folderIds: named } = resolvePlaces(parsed.criterion, folders)
  const scope = defaultSearchFolders(folders, {
    includeSpamTrash: parsed.isAnywhere,
    isByFolder: named.length > 0,
  })
  return { criterion, folderIds: [...new Set([...scope, ...named])] }
}

export function pageOf(limit: number, offset = 0, after: Anchor | null = null): PageRequest {
  return { limit, offset, after }
}

export async function search(
  mailbox: ContractMailbox,
  text: string,
  options: { timezone?: string; page?: PageRequest } = {},
): Promise<SearchPage> {
  const query = await toQuery(mailbox.adapter, text, options.timezone)
  return mailbox.adapter.searchMessages(query, options.page ?? pageOf(100), callFor())
}

/** Sorted keys of everything a query finds. */
export async function found(
  mailbox: ContractMailbox,
  text: string,
  timezone = 'UTC',
): Promise<readonly string[]> {
  const page = await search(mailbox, text, { timezone })
  return page.messages.map(keyOf).sort()
}

/** All octets of a stream. */
export async function drain(octets: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of octets) chunks.push(chunk)
  return Buffer.concat(chunks)
}
