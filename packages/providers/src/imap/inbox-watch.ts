import { Fault, silentLog } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { FolderViews } from './folder-views.ts'
import type { ImapAccount } from './pool.ts'
import type { WatchOptions } from './watches.ts'

/** Somebody who waits for these folders. `onSign` must not throw; it may be called when nothing has come. */
export interface Watcher {
  readonly folderIds: readonly FolderId[]
  readonly onSign: () => void
}

interface Terms {
  /** False: no connection is made, everybody is told to look every `pollMs`. */
  readonly mayDial: boolean
  /** Nobody has waited for a while. */
  readonly onUnneeded: () => void
}

const defaultPollMs = 5_000
const defaultLingerMs = 3_000
/** Time that a server has to answer; a connection that misses it is dead. */
const defaultAnswerMs = 8_000
const connectMs = 15_000
/** Pauses before the next attempt to connect, the last one again and again. */
const retryMs = [0, 1_000, 2_000, 4_000, 8_000]

/**
 * The one connection over which an inbox is watched. It idles in the folder that is waited for first (RFC 2177) and
 * comes up every few seconds: to see whether its server still answers, to ask NOOP where a server takes IDLE and
 * tells nothing, and to ask STATUS of further folders. So a socket that died in silence is noticed within a few
 * seconds, and IDLE never comes near the half hour after which it would have to be renewed.
 *
 * While there is no connection everybody is told to look for themselves every few seconds.
 */
export class InboxWatch {
  readonly account: ImapAccount
  readonly #options: WatchOptions
  readonly #terms: Terms
  readonly #watchers = new Set<Watcher>()
  readonly #pollMs: number
  readonly #answerMs: number
  readonly #ended = new AbortController()
  readonly #ticker: NodeJS.Timeout
  #views: FolderViews | null = null
  #wake: () => void = () => undefined
  #linger: NodeJS.Timeout | null = null
  #work: Promise<void> | null = null

  constructor(account: ImapAccount, options: WatchOptions, terms: Terms) {
    this.account = account
    this.#options = options
    this.#terms = terms
    this.#pollMs = options.pollMs ?? defaultPollMs
    this.#answerMs = options.answerMs ?? defaultAnswerMs
    this.#ticker = setInterval(() => this.#tick(), this.#pollMs).unref()
  }

  get isConnected(): boolean {
    return this.#views !== null
  }

  add(watcher: Watcher): () => void {
    if (this.#linger !== null) clearTimeout(this.#linger)
    this.#linger = null
    this.#watchers.add(watcher)
    if (this.#terms.mayDial) this.#work ??= this.#run()
    // What came after the watcher's own look and before this moment has been told to others already.
    if (this.#views?.covers(watcher.folderIds) === true) watcher.onSign()
    this.#wake()
    return () => this.#remove(watcher)
  }

  /** Hangs up. Who still waits is told to look, and finds out. */
  async end(): Promise<void> {
    if (!this.#ended.signal.aborted)
      this.#ended.abort(new Fault('provider_unavailable', { public: 'Closed.' }))
    clearInterval(this.#ticker)
    if (this.#linger !== null) clearTimeout(this.#linger)
    this.#wake()
    for (const { onSign } of this.#watchers) onSign()
    await this.#work
  }

  #remove(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size > 0 || this.#ended.signal.aborted) return
    const lingerMs = this.#options.lingerMs ?? defaultLingerMs
    this.#linger ??= setTimeout(this.#terms.onUnneeded, lingerMs).unref()
  }

  #tick(): void {
    if (this.#views !== null) return
    for (const { onSign } of this.#watchers) onSign()
  }

  #isOver(): boolean {
    return this.#ended.signal.aborted
  }

  /** Connects as often as it must. It never throws: whoever waits looks for themselves, and meets the reason. */
  async #run(): Promise<void> {
    for (let tries = 0; !this.#isOver(); tries += 1) {
      await this.#sleep(retryMs[Math.min(tries, retryMs.length - 1)] ?? 0)
      if (this.#isOver()) return
      const connection = await this.#settled(() =>
        dial(this.account.credential, this.#options, this.#call(connectMs)),
      )
      // Refused for good: asking again would lock the account.
      if (connection instanceof Fault && connection.code === 'inbox_reconnect_required') return
      if (connection instanceof Fault) continue
      await this.#settled(() => this.#serve(connection))
      // From the first attempt on again, but one whose server hangs up at once is not dialled without rest.
      if (this.#views?.isSettled === true) tries = 0
      this.#views = null
      await connection.end()
    }
  }

  /** Watches until the connection is lost or nobody needs it. @throws provider_*, timeout. */
  async #serve(connection: Connection): Promise<void> {
    const views = new FolderViews(connection, (folderId) => this.#sign(folderId))
    for (;;) {
      if (this.#isOver()) return
      const folderIds = [...new Set([...this.#watchers].flatMap((watcher) => watcher.folderIds))]
      const isWoken = this.#nextWake()
      await views.look(folderIds, () => this.#call(this.#answerMs))
      this.#views = views
      await views.idle(this.#elapsed(isWoken), this.#call(this.#pollMs + this.#answerMs))
    }
  }

  #sign(folderId: FolderId): void {
    for (const { folderIds, onSign } of this.#watchers) if (folderIds.includes(folderId)) onSign()
  }

  /** Settles when a watcher has come or the watch ends. */
  #nextWake(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    if (this.#isOver()) resolve()
    return promise
  }

  async #elapsed(isWoken: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#pollMs)
    await Promise.race([promise, isWoken])
    clearTimeout(timer)
  }

  async #sleep(ms: number): Promise<void> {
    if (ms === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#ended.signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
    clearTimeout(timer)
  }

  async #settled<T>(work: () => Promise<T>): Promise<T | Fault> {
    // Its own signal is never looked at: a watch that ends is no failure.
    const calm = { signal: new AbortController().signal, deadline: new Date(), log: silentLog }
    return attempt(work, calm, () => true)
  }

  #call(ms: number): Call {
    return { signal: this.#ended.signal, deadline: new Date(Date.now() + ms), log: silentLog }
  }
}
