import type { DialOptions } from './dial.ts'
import { InboxWatch, type Watcher } from './inbox-watch.ts'
import type { ImapAccount } from './pool.ts'

export interface WatchOptions extends DialOptions {
  readonly pollMs?: number
  readonly answerMs?: number
  readonly lingerMs?: number
}

/** Watch connections of the whole process; inboxes beyond them are looked at every few seconds instead. */
const maxWatches = 200

/** The inboxes of this process that somebody waits for mail in: one watch each, however many wait. */
export class Watches {
  readonly #options: WatchOptions
  readonly #byInbox = new Map<string, InboxWatch>()
  readonly #ending = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: WatchOptions) {
    this.#options = options
  }

  get size(): number {
    return [...this.#byInbox.values()].filter(({ isConnected }) => isConnected).length
  }

  /** Adds one who waits; the returned function takes it away again. */
  add(account: ImapAccount, watcher: Watcher): () => void {
    return this.#of(account).add(watcher)
  }

  async drain(inboxId: string): Promise<void> {
    const watch = this.#byInbox.get(inboxId)
    if (watch !== undefined) await this.#end(watch)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const watch of this.#byInbox.values()) void this.#end(watch)
    await Promise.all(this.#ending)
  }

  #of(account: ImapAccount): InboxWatch {
    const known = this.#byInbox.get(account.inboxId)
    if (known !== undefined && known.account.credentialVersion >= account.credentialVersion) return known
    if (known !== undefined) void this.#end(known)
    const mayDial = !this.#isClosed && this.size < maxWatches
    const made: InboxWatch = new InboxWatch(account, this.#options, {
      mayDial,
      onUnneeded: () => void this.#end(made),
    })
    this.#byInbox.set(account.inboxId, made)
    return made
  }

  #end(watch: InboxWatch): Promise<void> {
    const { inboxId } = watch.account
    if (this.#byInbox.get(inboxId) === watch) this.#byInbox.delete(inboxId)
    const ended: Promise<void> = watch.end().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
    return ended
  }
}
