import { timeoutFault, type Fault } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import type { Connection } from './connection.ts'
import type { OpenedFolder } from './open-folder.ts'
import { unavailable } from './faults.ts'
import type { ImapAccount, PoolStats } from './pool.ts'

/** The connections of one inbox under one credential. Forgotten as soon as it has nothing to remember. */
export interface Bucket {
  readonly account: ImapAccount
  readonly slots: Set<Slot>
  cap: number
  /** When a cap that the server lowered may rise again, in ms since the epoch. */
  capUntil: number
  /** The server refused this credential: not tried again before `refusedUntil`, or accounts get locked. */
  refusal: Fault | null
  refusedUntil: number
  isRetired: boolean
}

/** A place for one connection. It counts against the caps from the moment it is promised. */
export interface Slot {
  readonly bucket: Bucket
  connection: Connection | null
  mailbox: OpenedMailbox | null
  isLeased: boolean
  /** The connection served an earlier lease. */
  isWarm: boolean
  idleSince: number
}

/** What a connection has open, and since when, in ms since the epoch. */
export interface OpenedMailbox extends OpenedFolder {
  readonly openedAt: number
}

interface Waiter {
  readonly bucket: Bucket
  readonly folderId: FolderId | null
  readonly take: (slot: Slot) => void
  readonly giveUp: (reason: Error) => void
}

interface QueueOptions {
  readonly maxPerInbox: number
  readonly capOf: (host: string) => number | null
  readonly maxConnections: number
  readonly idleMs: number
}

const refusalMs = 60_000
const loweredCapMs = 10 * 60_000
const sweepMs = 5_000

/** Who gets which connection when: first come first served, within the caps of the inbox and the process. */
export class LeaseQueue {
  readonly #options: QueueOptions
  readonly #buckets = new Map<string, Bucket>()
  readonly #slots = new Set<Slot>()
  /** In the order of arrival; those that had a turn and lost it to a full server stand before all others. */
  readonly #first = new Set<Waiter>()
  readonly #waiters = new Set<Waiter>()
  #sweeper: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  /**
   * A slot to use until `release`; its connection may still have to be dialled.
   * @throws inbox_reconnect_required (refused a moment ago), provider_unavailable (no turn), timeout, `signal.reason`.
   */
  async acquire(
    { account, folderId }: { account: ImapAccount; folderId: FolderId | null },
    call: Call,
    { patience, isFirst }: { patience: Date; isFirst: boolean },
  ): Promise<Slot> {
    call.signal.throwIfAborted()
    const bucket = this.#bucketOf(account)
    if (bucket.refusal !== null && Date.now() < bucket.refusedUntil) throw bucket.refusal
    const { promise, resolve, reject } = Promise.withResolvers<Slot>()
    const line = isFirst ? this.#first : this.#waiters
    const giveUp = (reason: Error): void => {
      // At once, not when the promise settles: a slot given to one who has left would be lost.
      line.delete(waiter)
      reject(reason)
    }
    const waiter: Waiter = { bucket, folderId, take: resolve, giveUp }
    line.add(waiter)
    const isShort = call.deadline < patience
    const timer = setTimeout(
      () => giveUp(isShort ? timeoutFault('no free connection') : unavailable('busy', 'no free connection')),
      Math.max(0, Math.min(call.deadline.getTime(), patience.getTime()) - Date.now()),
    )
    const onAbort = (): void => giveUp(call.signal.reason as Error)
    call.signal.addEventListener('abort', onAbort, { once: true })
    this.#serve()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      call.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Gives a slot back: a live connection stays for the next call, a dead one makes room. */
  release(slot: Slot): void {
    slot.isLeased = false
    slot.idleSince = Date.now()
    if (this.#isClosed || slot.bucket.isRetired || slot.connection?.isUsable !== true) void this.#remove(slot)
    this.#serve()
  }

  /** The connection of a slot ended by itself. A leased slot is left to its lease. */
  forget(slot: Slot, connection: Connection): void {
    if (slot.connection !== connection || slot.isLeased) return
    void this.#remove(slot)
    this.#serve()
  }

  /** The server did not take the connection of a slot. False when the bucket has no other slot to wait for. */
  lowerCap(bucket: Bucket): boolean {
    const others = bucket.slots.size - 1
    if (others < 1) return false
    bucket.cap = Math.min(bucket.cap, others)
    bucket.capUntil = Date.now() + loweredCapMs
    return true
  }

  /** The server refused the credential: those who wait for the same hear it now. */
  refuse(bucket: Bucket, fault: Fault): void {
    bucket.refusal = fault
    bucket.refusedUntil = Date.now() + refusalMs
    this.#dismiss(bucket, fault)
    this.#sweepLater()
  }

  async leaveFolders(inboxId: string, isLeft: (folderId: FolderId) => boolean): Promise<void> {
    const slots = [...(this.#buckets.get(inboxId)?.slots ?? [])].filter(
      ({ mailbox }) => mailbox !== null && isLeft(mailbox.folderId),
    )
    for (const slot of slots) slot.mailbox = null
    await Promise.all(slots.filter(({ isLeased }) => !isLeased).map((slot) => this.#remove(slot)))
    this.#serve()
  }

  async drain(inboxId: string): Promise<void> {
    const bucket = this.#buckets.get(inboxId)
    if (bucket !== undefined) await this.#retire(bucket)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#sweeper !== null) clearInterval(this.#sweeper)
    this.#sweeper = null
    const goodbyes = [...this.#buckets.values()].map((bucket) => this.#retire(bucket))
    for (const slot of this.#slots) slot.connection?.fail(unavailable('closed', 'the pool closes'))
    await Promise.all(goodbyes)
  }

  stats(): Omit<PoolStats, 'watching'> {
    return {
      inboxes: this.#buckets.size,
      connections: this.#slots.size,
      leased: [...this.#slots].filter((slot) => slot.isLeased).length,
      waiting: this.#first.size + this.#waiters.size,
    }
  }

  #bucketOf(account: ImapAccount): Bucket {
    if (this.#isClosed) throw unavailable('closed', 'the pool is closed')
    const known = this.#buckets.get(account.inboxId)
    if (known !== undefined) {
      if (known.account.credentialVersion === account.credentialVersion) return known
      if (known.account.credentialVersion > account.credentialVersion) {
        throw unavailable('closed', 'opened with a credential that was replaced')
      }
      void this.#retire(known)
    }
    const bucket: Bucket = {
      account,
      slots: new Set(),
      cap: this.#fullCap(account),
      capUntil: 0,
      refusal: null,
      refusedUntil: 0,
      isRetired: false,
    }
    this.#buckets.set(account.inboxId, bucket)
    return bucket
  }

  /** Gives whatever is free to whoever has waited longest for it. */
  #serve(): void {
    for (const waiter of [...this.#first, ...this.#waiters]) {
      const slot = this.#idleSlot(waiter) ?? this.#newSlot(waiter.bucket)
      if (slot === null) continue
      slot.isLeased = true
      this.#first.delete(waiter)
      this.#waiters.delete(waiter)
      waiter.take(slot)
    }
    this.#sweepLater()
  }

  /** The idle connection that has the wanted folder open, else the one that was idle longest. */
  #idleSlot({ bucket, folderId }: Waiter): Slot | null {
    const idle = [...bucket.slots].filter((slot) => !slot.isLeased)
    const isOpen = (slot: Slot): boolean => folderId !== null && slot.mailbox?.folderId === folderId
    return idle.find(isOpen) ?? leastRecent(idle)
  }

  #newSlot(bucket: Bucket): Slot | null {
    if (bucket.slots.size >= bucket.cap) return null
    if (this.#slots.size >= this.#options.maxConnections) {
      const victim = leastRecent([...this.#slots].filter((slot) => !slot.isLeased))
      if (victim === null) return null
      void this.#remove(victim)
    }
    const slot: Slot = {
      bucket,
      connection: null,
      mailbox: null,
      isLeased: true,
      isWarm: false,
      idleSince: 0,
    }
    bucket.slots.add(slot)
    this.#slots.add(slot)
    return slot
  }

  async #remove(slot: Slot): Promise<void> {
    slot.bucket.slots.delete(slot)
    this.#slots.delete(slot)
    const { connection } = slot
    slot.connection = null
    slot.mailbox = null
    await connection?.end()
  }

  async #retire(bucket: Bucket): Promise<void> {
    bucket.isRetired = true
    if (this.#buckets.get(bucket.account.inboxId) === bucket) this.#buckets.delete(bucket.account.inboxId)
    this.#dismiss(bucket, unavailable('closed', 'the inbox was drained'))
    await Promise.all([...bucket.slots].filter((slot) => !slot.isLeased).map((slot) => this.#remove(slot)))
  }

  #dismiss(bucket: Bucket, fault: Fault): void {
    for (const waiter of [...this.#first, ...this.#waiters]) {
      if (waiter.bucket === bucket) waiter.giveUp(fault)
    }
  }

  #sweepLater(): void {
    if (this.#isClosed || this.#sweeper !== null || this.#buckets.size === 0) return
    // Unreferenced: an idle pool must not keep a process alive that wants to end.
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(sweepMs, this.#options.idleMs)).unref()
  }

  #sweep(): void {
    const now = Date.now()
    for (const slot of this.#slots) {
      if (!slot.isLeased && now - slot.idleSince >= this.#options.idleMs) void this.#remove(slot)
    }
    for (const [inboxId, bucket] of this.#buckets) {
      const isRemembered = now < bucket.capUntil || now < bucket.refusedUntil
      if (now >= bucket.capUntil) bucket.cap = this.#fullCap(bucket.account)
      if (bucket.slots.size === 0 && !isRemembered && !this.#isAwaited(bucket)) this.#buckets.delete(inboxId)
    }
    if (this.#buckets.size > 0 || this.#sweeper === null) return
    clearInterval(this.#sweeper)
    this.#sweeper = null
  }

  #fullCap({ credential }: ImapAccount): number {
    const known = this.#options.capOf(credential.host) ?? Infinity
    return Math.max(1, Math.min(this.#options.maxPerInbox, known))
  }

  #isAwaited(bucket: Bucket): boolean {
    return [...this.#first, ...this.#waiters].some((waiter) => waiter.bucket === bucket)
  }
}

function leastRecent(slots: readonly Slot[]): Slot | null {
  return slots.reduce<Slot | null>(
    (oldest, slot) => (oldest === null || slot.idleSince < oldest.idleSince ? slot : oldest),
    null,
  )
}
