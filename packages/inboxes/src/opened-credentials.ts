/** As long as a warm connection, which holds the same secret, may stay unused. */
const lifetimeMs = 120_000
const maxEntries = 1_000

interface Entry {
  readonly version: number
  readonly credential: unknown
  readonly until: number
}

/**
 * Credentials that were opened a moment ago, so that the calls of one conversation read and open them once. An
 * entry is good only for the version that the inbox's row names, which every call reads anew: a changed, refused or
 * removed credential is never used from here. Unused ones are forgotten after two minutes.
 */
export class OpenedCredentials {
  readonly #entries = new Map<string, Entry>()
  #sweeper: NodeJS.Timeout | null = null

  /** The credential of that version, or undefined. Using it keeps it. */
  get(inboxId: string, version: number): unknown {
    const entry = this.#entries.get(inboxId)
    if (entry === undefined || entry.version !== version || Date.now() >= entry.until) return undefined
    this.set(inboxId, version, entry.credential)
    return entry.credential
  }

  set(inboxId: string, version: number, credential: unknown): void {
    // Behind all others: the map's order is that of use.
    this.#entries.delete(inboxId)
    this.#entries.set(inboxId, { version, credential, until: Date.now() + lifetimeMs })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > maxEntries && oldest !== undefined) this.#entries.delete(oldest)
    this.#sweeper ??= setInterval(() => this.#sweep(), lifetimeMs / 2).unref()
  }

  #sweep(): void {
    const now = Date.now()
    for (const [inboxId, { until }] of this.#entries) {
      if (until <= now) this.#entries.delete(inboxId)
    }
    if (this.#entries.size > 0 || this.#sweeper === null) return
    clearInterval(this.#sweeper)
    this.#sweeper = null
  }
}
