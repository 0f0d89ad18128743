import type { FolderId, RawText } from '@postern/mail'
import type { ImapAccount } from './pool.ts'

/** A line of LIST, read. */
export interface ListedFolder {
  /** Exactly as the server spells it. */
  readonly folderId: FolderId
  readonly name: RawText
  /** Decoded levels joined by `/`. */
  readonly path: RawText
  /** What separates levels in `folderId`; null: folders hold no folders. */
  readonly delimiter: string | null
  /** Upper-case attributes: `\NOSELECT`, `\SENT`. */
  readonly attributes: readonly string[]
}

interface Entry {
  readonly version: number
  readonly until: number
  readonly folders: readonly ListedFolder[]
}

const lifetimeMs = 60_000
/** Folders of all inboxes together that are worth remembering; about 10 MB. */
const maxFolders = 40_000

/** The last LIST of each inbox. It forgets by age and by size, so that idle inboxes cost nothing. */
export class FolderCache {
  readonly #entries = new Map<string, Entry>()
  #size = 0
  #sweeper: NodeJS.Timeout | null = null

  get({ inboxId, credentialVersion }: ImapAccount): readonly ListedFolder[] | null {
    const entry = this.#entries.get(inboxId)
    const isGood = entry !== undefined && entry.version === credentialVersion && Date.now() < entry.until
    return isGood ? entry.folders : null
  }

  find(account: ImapAccount, folderId: FolderId): ListedFolder | null {
    return this.get(account)?.find((folder) => folder.folderId === folderId) ?? null
  }

  set({ inboxId, credentialVersion }: ImapAccount, folders: readonly ListedFolder[]): void {
    this.drop(inboxId)
    if (folders.length > maxFolders) return
    this.#entries.set(inboxId, { version: credentialVersion, until: Date.now() + lifetimeMs, folders })
    this.#size += folders.length
    for (const [oldest] of this.#entries) {
      if (this.#size <= maxFolders) break
      this.drop(oldest)
    }
    this.#sweeper ??= setInterval(() => this.#sweep(), lifetimeMs).unref()
  }

  drop(inboxId: string): void {
    this.#size -= this.#entries.get(inboxId)?.folders.length ?? 0
    this.#entries.delete(inboxId)
  }

  close(): void {
    this.#entries.clear()
    this.#size = 0
    this.#stop()
  }

  #sweep(): void {
    const now = Date.now()
    for (const [inboxId, entry] of this.#entries) if (entry.until <= now) this.drop(inboxId)
    if (this.#entries.size === 0) this.#stop()
  }

  #stop(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}
