import { createHash } from 'node:crypto'
import {
  parseMime,
  rawText,
  type Flags,
  type FolderId,
  type FolderRole,
  type MessageRef,
  type ParsedMessage,
  type RawText,
} from '@postern/mail'
import { messageNotFound } from './faults.ts'

export interface MemoryFolderInit {
  /** Levels joined with `/`; also the id where none is given. */
  readonly path: string
  readonly folderId?: FolderId
  readonly role?: FolderRole
  readonly isSelectable?: boolean
}

export interface MemoryMessageInit {
  /** The stored RFC 822 message, as it is: nothing in it needs to be valid. */
  readonly raw: Uint8Array
  readonly receivedAt: Date
  readonly flags?: Partial<Flags>
  readonly keywords?: readonly string[]
}

/** A message where it lies. `number` is its place in one folder; `identity` goes with it wherever it is moved. */
export interface StoredMessage {
  readonly number: number
  readonly identity: string
  readonly raw: Uint8Array
  readonly parsed: ParsedMessage
  readonly receivedAt: Date
  readonly flags: Flags
  readonly keywords: readonly RawText[]
}

export interface MemoryFolder {
  readonly folderId: FolderId
  readonly path: RawText
  readonly role: FolderRole | null
  readonly isSelectable: boolean
  /** Like UIDVALIDITY: numbers of one epoch are never given twice, those of another say nothing. */
  readonly epoch: number
  /** By number, which is the order of arrival. */
  readonly messages: readonly StoredMessage[]
}

export interface PlacedMessage {
  readonly folder: MemoryFolder
  readonly message: StoredMessage
}

interface OpenFolder extends MemoryFolder {
  epoch: number
  nextNumber: number
  messages: StoredMessage[]
}

const identityHexLength = 16
const unmarked: Flags = { seen: false, answered: false, flagged: false, draft: false }

/**
 * A mailbox in memory, filled by its owner (tests, the sandbox) and changed by adapters too. It behaves like a
 * mail server: messages are octets, numbers grow and are never reused, and a move gives a new number.
 */
export class MemoryMailbox {
  readonly #folders = new Map<FolderId, OpenFolder>()
  readonly #listeners = new Set<() => void>()
  #epochs = 0

  /** Calls `listener` whenever a message was put anywhere, until the returned function is called. */
  onArrival(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Adds an empty folder; an INBOX is there from the start. */
  addFolder(init: MemoryFolderInit): FolderId {
    const folderId = init.folderId ?? init.path
    if (this.#folders.has(folderId)) throw new TypeError('this folder exists')
    this.#folders.set(folderId, {
      folderId,
      path: rawText(init.path),
      role: init.role ?? null,
      isSelectable: init.isSelectable ?? true,
      epoch: ++this.#epochs,
      messages: [],
      nextNumber: 1,
    })
    return folderId
  }

  /** Another name, and another id; epoch, messages and refs stay. What lies below goes along. RFC 3501 6.3.5. */
  renameFolder(folderId: FolderId, path: string): FolderId {
    const { path: old } = this.#open(folderId)
    // Of before: those that are set again would be met once more.
    const folders = Array.from(this.#folders.values())
    for (const folder of folders) {
      if (folder.folderId !== folderId && !folder.path.startsWith(`${old}/`)) continue
      const renamed = `${path}${folder.path.slice(old.length)}`
      this.#folders.delete(folder.folderId)
      this.#folders.set(renamed, { ...folder, folderId: renamed, path: rawText(renamed) })
    }
    return path
  }

  /** With everything in it. */
  removeFolder(folderId: FolderId): void {
    this.#folders.delete(this.#open(folderId).folderId)
  }

  append(folderId: FolderId, init: MemoryMessageInit): MessageRef {
    return this.#place(this.#open(folderId), {
      identity: createHash('sha256').update(init.raw).digest('hex').slice(0, identityHexLength),
      raw: init.raw,
      parsed: parseMime(init.raw),
      receivedAt: init.receivedAt,
      flags: { ...unmarked, ...init.flags },
      keywords: (init.keywords ?? []).map(rawText),
    })
  }

  /** Another place and number, the same message. @throws message_not_found. */
  move(ref: MessageRef, folderId: FolderId): MessageRef {
    const target = this.#open(folderId)
    const { message } = this.locate(ref)
    this.remove(ref)
    return this.#place(target, message)
  }

  /** The same octets once more. @throws message_not_found. */
  copy(ref: MessageRef, folderId: FolderId): MessageRef {
    return this.#place(this.#open(folderId), this.locate(ref).message)
  }

  /** @throws message_not_found. */
  setKeywords(ref: MessageRef, keywords: readonly string[]): void {
    const { folder, message } = this.locate(ref)
    const marked = { ...message, keywords: keywords.map(rawText) }
    this.#open(folder.folderId).messages = folder.messages.map((one) => (one === message ? marked : one))
  }

  /** @throws message_not_found. */
  setFlags(ref: MessageRef, flags: Partial<Flags>): void {
    const { folder, message } = this.locate(ref)
    const marked = { ...message, flags: { ...message.flags, ...flags } }
    this.#open(folder.folderId).messages = folder.messages.map((one) => (one === message ? marked : one))
  }

  /** @throws message_not_found. */
  remove(ref: MessageRef): void {
    const { folder, message } = this.locate(ref)
    this.#open(folder.folderId).messages = folder.messages.filter((one) => one !== message)
  }

  /** A new epoch with new numbers, as after a server has restored the folder from a backup. */
  rebuild(folderId: FolderId): void {
    const folder = this.#open(folderId)
    folder.epoch = ++this.#epochs
    folder.messages = folder.messages.map((message, index) => ({ ...message, number: index + 1 }))
    folder.nextNumber = folder.messages.length + 1
  }

  folders(): readonly MemoryFolder[] {
    return [...this.#folders.values()]
  }

  findFolder(folderId: FolderId): MemoryFolder | undefined {
    return this.#folders.get(folderId)
  }

  /** The message a ref means, wherever it lies now, or null. */
  find(ref: MessageRef): PlacedMessage | null {
    const place = unpackLocator(ref)
    if (place === null) return null
    const known = this.folders().flatMap((folder) =>
      folder.messages
        .filter(({ identity }) => identity === place.identity)
        .map((message) => ({ folder, message })),
    )
    // The same octets may lie there twice: the number tells which, as long as the epoch is the same.
    const inPlace = known.find(
      ({ folder, message }) => folder.epoch === place.epoch && message.number === place.number,
    )
    return inPlace ?? known[0] ?? null
  }

  /** The message a ref means, if it lies where the ref was made, or null. */
  findInPlace(ref: MessageRef): PlacedMessage | null {
    const placed = this.find(ref)
    const place = unpackLocator(ref)
    return placed?.folder.epoch === place?.epoch && placed?.message.number === place?.number ? placed : null
  }

  /** @throws message_not_found. */
  locate(ref: MessageRef): PlacedMessage {
    const placed = this.find(ref)
    if (placed === null) throw messageNotFound()
    return placed
  }

  #open(folderId: FolderId): OpenFolder {
    const folder = this.#folders.get(folderId)
    if (folder === undefined) throw new TypeError('there is no such folder')
    return folder
  }

  #place(folder: OpenFolder, message: Omit<StoredMessage, 'number'>): MessageRef {
    const placed = { ...message, number: folder.nextNumber++ }
    folder.messages.push(placed)
    for (const listener of this.#listeners) listener()
    return { locator: packLocator(folder, placed) }
  }
}

/** A mailbox with an empty INBOX. */
export function createMemoryMailbox(folders: readonly MemoryFolderInit[] = []): MemoryMailbox {
  const mailbox = new MemoryMailbox()
  mailbox.addFolder({ path: 'INBOX', role: 'inbox' })
  for (const folder of folders) mailbox.addFolder(folder)
  return mailbox
}

/** 16 octets: epoch, number, identity. In hexadecimal they sort by folder and arrival. */
export function packLocator({ epoch }: MemoryFolder, { number, identity }: StoredMessage): Uint8Array {
  const octets = Buffer.alloc(16)
  octets.writeUInt32BE(epoch, 0)
  octets.writeUInt32BE(number, 4)
  octets.write(identity, 8, 'hex')
  return new Uint8Array(octets)
}

/** What a locator of this adapter says, or null. */
export function unpackLocator({
  locator,
}: MessageRef): { epoch: number; number: number; identity: string } | null {
  if (locator.length !== 16) return null
  const octets = Buffer.from(locator)
  return {
    epoch: octets.readUInt32BE(0),
    number: octets.readUInt32BE(4),
    identity: octets.toString('hex', 8),
  }
}
