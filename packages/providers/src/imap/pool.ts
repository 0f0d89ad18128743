import { Fault } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { Connection } from './connection.ts'
import type { ImapCredential } from './credential.ts'
import { dial, type DialOptions } from './dial.ts'
import { openFolder, type OpenedFolder, type OpenMode } from './open-folder.ts'
import { LeaseQueue, type OpenedMailbox, type Slot } from './lease-queue.ts'
import { TurnQueue } from './turn-queue.ts'
import { Watches } from './watches.ts'
import type { Answer, Argument, Line } from './wire.ts'

/** Whose mailbox to dial. A higher `credentialVersion` retires the connections of the lower ones. */
export interface ImapAccount {
  readonly inboxId: string
  readonly credentialVersion: number
  readonly credential: ImapCredential
}

export interface RunOptions {
  /** Keywords of the untagged lines to keep for `Answer.lines`. */
  readonly collect?: readonly string[]
  /** Takes each line of those keywords as it arrives, instead of `Answer.lines`. Must not run a command. */
  readonly onLine?: (line: Line) => void
  /** SEARCH and its like may work in silence: the deadline of the call is the only limit. */
  readonly isPatient?: boolean
  /** For IDLE: when the command is to be ended. It settles whatever becomes of the connection. */
  readonly until?: Promise<void>
  /** Told right before the command leaves: what is thrown without it has changed nothing. */
  readonly onSend?: () => void
  /** Octets this answer may have (default 8 MiB); a server that sends more loses its connection. */
  readonly maxOctets?: number
}

/** One leased connection. Valid until the function it was given to ends; runs one command at a time. */
export interface ImapConnection {
  /** Upper-case names, as after login. */
  readonly capabilities: ReadonlySet<string>
  /** UTF8=ACCEPT is enabled: quoted strings and mailbox names are UTF-8 and SEARCH takes no CHARSET (RFC 6855). */
  readonly isUtf8: boolean
  /**
   * Sends one command and waits for its tagged answer.
   * @throws provider_unavailable, provider_error, provider_rate_limited, timeout, `signal.reason`.
   */
  run(command: string, args: readonly Argument[], options?: RunOptions): Promise<Answer>
}

/** A leased connection with a mailbox open. The figures are of the moment at which it was last asked about. */
export interface OpenMailbox extends OpenedFolder {
  readonly connection: ImapConnection
}

export interface MailboxTarget {
  readonly account: ImapAccount
  readonly folderId: FolderId
  /** Reading EXAMINEs, writing SELECTs; writes to one folder of an inbox come one after the other. */
  readonly mode: OpenMode
  readonly view?: FolderFreshness
}

/**
 * Default `any`. `now`: ask the server even where it is open already, so that the figures are of this moment. `anew`:
 * open it once more, since not every server tells a session at once what is new.
 */
export type FolderFreshness = 'any' | 'now' | 'anew'

export interface PoolStats {
  readonly inboxes: number
  readonly connections: number
  readonly leased: number
  readonly waiting: number
  /** Connections beside these that wait for new mail. */
  readonly watching: number
}

export interface ImapPool {
  /**
   * Leases a connection with that mailbox open until `fn` ends.
   * @throws folder_not_found, inbox_reconnect_required, provider_unavailable, provider_error, timeout.
   */
  withMailbox<T>(target: MailboxTarget, call: Call, fn: (mailbox: OpenMailbox) => Promise<T>): Promise<T>
  /** The same without a mailbox: for LIST and STATUS, or to change folders. Which mailbox is selected is unknown. */
  withConnection<T>(
    account: ImapAccount,
    call: Call,
    fn: (connection: ImapConnection) => Promise<T>,
    mode?: OpenMode,
  ): Promise<T>
  /**
   * Calls `onSign` when something may have arrived in one of these folders, until the returned function is called;
   * see `Watches`. All who watch an inbox share one connection, beside those that are leased.
   */
  watch(account: ImapAccount, folderIds: readonly FolderId[], onSign: () => void): () => void
  /**
   * Ends the idle connections of an inbox that have one of these folders open, and makes the others open theirs anew:
   * what has another name now, or is gone, is not to be read on.
   */
  leaveFolders(inboxId: string, isLeft: (folderId: FolderId) => boolean): Promise<void>
  /** Closes what the inbox has, now or as its leases end. */
  drain(inboxId: string): Promise<void>
  close(): Promise<void>
  stats(): PoolStats
}

export interface ImapPoolOptions extends DialOptions {
  /** Connections that one inbox may have, where its server allows as many. Default 3. */
  readonly maxPerInbox?: number
  /** Lower caps of known servers, by host. */
  readonly capOf?: (host: string) => number | null
  /** Connections of the whole process; above it the least recently used idle one makes room. Default 200. */
  readonly maxConnections?: number
  /** How long a call waits for its turn. Default 5 s. */
  readonly leaseMs?: number
  /** Idle connections close after this. Default 2 min. */
  readonly idleMs?: number
  /** An idle time above which a NOOP tells whether the connection still lives. Default 30 s. */
  readonly probeMs?: number
  /**
   * How long NOOP is trusted to tell what is new in an open mailbox, before it is opened anew: a server may be slow
   * to tell. Default 1 min.
   */
  readonly viewMs?: number
  /** How often a watched folder is asked about where its server does not tell by itself. Default 5 s. */
  readonly pollMs?: number
  /** How long its server may take to answer a question of the watch, before the connection counts as dead. Default 8 s. */
  readonly answerMs?: number
  /** How long a watch connection outlives the last who needed it. Default 3 s. */
  readonly lingerMs?: number
  /** A server refused the credential: the owner should see it. */
  readonly onAuthFailure?: (failure: AuthFailure) => void
}

export interface AuthFailure {
  readonly inboxId: string
  readonly credentialVersion: number
  /** A `DialReason`. */
  readonly reason: string
}

/**
 * The connections of all IMAP inboxes of this process. Opening an inbox dials nothing; the first verb does.
 * A call that finds no free connection waits its turn, first come first served.
 */
export function createImapPool(options: ImapPoolOptions): ImapPool {
  const queue = new LeaseQueue({
    maxPerInbox: options.maxPerInbox ?? 3,
    capOf: options.capOf ?? (() => null),
    maxConnections: options.maxConnections ?? 200,
    idleMs: options.idleMs ?? 120_000,
  })
  const leases = new Leases(queue, options)
  const writes = new TurnQueue()
  const watches = new Watches(options)
  return {
    withMailbox: ({ account, folderId, mode, view = 'any' }, call, fn) => {
      const use = (): ReturnType<typeof fn> =>
        leases.hold({ account, folderId, mode }, call, async (slot, lease) => {
          const mailbox = await leases.open({ slot, folderId, mode, view }, call)
          return fn({ ...mailbox, connection: lease() })
        })
      return mode === 'read' ? use() : writes.run(`${account.inboxId} ${folderId}`, call, use)
    },
    withConnection: (account, call, fn, mode = 'read') =>
      leases.hold({ account, folderId: null, mode }, call, (_slot, lease) => fn(lease())),
    leaveFolders: (inboxId, isLeft) => queue.leaveFolders(inboxId, isLeft),
    watch: (account, folderIds, onSign) => watches.add(account, { folderIds, onSign }),
    drain: async (inboxId) => {
      await Promise.all([watches.drain(inboxId), queue.drain(inboxId)])
    },
    close: async () => {
      await Promise.all([watches.close(), queue.close()])
    },
    stats: () => ({ ...queue.stats(), watching: watches.size }),
  }
}

type Lease = () => ImapConnection

/** Turns a place in the queue into a working connection, and gives it back whatever happens. */
class Leases {
  readonly #queue: LeaseQueue
  readonly #options: ImapPoolOptions

  constructor(queue: LeaseQueue, options: ImapPoolOptions) {
    this.#queue = queue
    this.#options = options
  }

  async hold<T>(
    target: { account: ImapAccount; folderId: FolderId | null; mode?: OpenMode },
    call: Call,
    fn: (slot: Slot, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const slot = await this.#take(target, call)
    // A change that has begun is followed to its end whoever has left; only time ends it.
    const leased = target.mode === 'write' ? { ...call, signal: new AbortController().signal } : call
    let isOver = false
    try {
      return await fn(slot, () => connectionOf(slot).lease(leased, () => isOver))
    } finally {
      isOver = true
      this.#queue.release(slot)
    }
  }

  /** The mailbox of a slot, opened anew where it is not the open one or not fresh enough. */
  async open(
    { slot, folderId, mode, view }: { slot: Slot; folderId: FolderId; mode: OpenMode; view: FolderFreshness },
    call: Call,
  ): Promise<OpenedFolder> {
    const isOpen = slot.mailbox?.folderId === folderId && slot.mailbox.mode === mode
    const known = isOpen ? slot.mailbox : null
    if (known !== null && view === 'any') return known
    slot.mailbox = null
    const wasWarm = slot.isWarm
    const opened = await attempt(
      async () =>
        (known === null || view === 'anew' ? null : await this.#lookAgain(slot, known, call)) ??
        enter(slot, { folderId, mode }, call),
      call,
      // A warm connection may have died unnoticed; that is no reason for this call to fail.
      (fault) => wasWarm && isLost(fault),
    )
    if (opened instanceof Fault) await this.#connect(slot, call)
    slot.mailbox = opened instanceof Fault ? await enter(slot, { folderId, mode }, call) : opened
    return slot.mailbox
  }

  /**
   * The open mailbox as it is now, for the price of a NOOP: EXAMINE of a large mailbox costs a server several times
   * as much. Null where only EXAMINE can tell: something was expunged, or nothing is there, which is how a mailbox
   * looks to a session when it was deleted and made anew.
   */
  async #lookAgain(slot: Slot, mailbox: OpenedMailbox, call: Call): Promise<OpenedMailbox | null> {
    if (Date.now() - mailbox.openedAt >= (this.#options.viewMs ?? 60_000)) return null
    const connection = connectionOf(slot)
    const { status } = await connection.lease(call, never).run('NOOP', [])
    const { exists } = connection
    return status === 'OK' && exists !== null && exists > 0 ? { ...mailbox, exists } : null
  }

  async #take(target: { account: ImapAccount; folderId: FolderId | null }, call: Call): Promise<Slot> {
    const patience = new Date(Date.now() + (this.#options.leaseMs ?? 5_000))
    for (let isFirst = false; ; isFirst = true) {
      const slot = await this.#queue.acquire(target, call, { patience, isFirst })
      if (await this.#isReady(slot, call)) return slot
    }
  }

  /**
   * Makes the slot usable, or gives it back. False: the server allows fewer connections than we thought, and there
   * is one to wait for.
   */
  async #isReady(slot: Slot, call: Call): Promise<boolean> {
    let isReady = false
    try {
      const full = await attempt(
        () => this.#warmUp(slot, call),
        call,
        (fault) => reasonOf(fault) === 'too_many_connections',
      )
      // Before the slot is given back, or the next in line would try the same.
      if (full instanceof Fault && !this.#queue.lowerCap(slot.bucket)) throw full
      isReady = !(full instanceof Fault)
    } finally {
      if (!isReady) this.#queue.release(slot)
    }
    return isReady
  }

  async #warmUp(slot: Slot, call: Call): Promise<void> {
    const { connection } = slot
    slot.isWarm = connection?.isUsable === true
    if (!slot.isWarm || connection === null) return this.#connect(slot, call)
    if (Date.now() - slot.idleSince < (this.#options.probeMs ?? 30_000)) return
    const probe = await attempt(() => connection.lease(call, never).run('NOOP', []), call, isLost)
    if (probe instanceof Fault) await this.#connect(slot, call)
  }

  async #connect(slot: Slot, call: Call): Promise<void> {
    const { account } = slot.bucket
    slot.mailbox = null
    slot.connection = null
    slot.isWarm = false
    try {
      const connection = await dial(account.credential, this.#options, call)
      connection.onClosed = () => this.#queue.forget(slot, connection)
      slot.connection = connection
    } catch (error) {
      if (error instanceof Fault && error.code === 'inbox_reconnect_required') {
        this.#queue.refuse(slot.bucket, error)
        this.#options.onAuthFailure?.({
          inboxId: account.inboxId,
          credentialVersion: account.credentialVersion,
          reason: reasonOf(error) ?? 'login_refused',
        })
      }
      throw error
    }
  }
}

async function enter(
  slot: Slot,
  { folderId, mode }: { folderId: FolderId; mode: OpenMode },
  call: Call,
): Promise<OpenedMailbox> {
  const opened = await openFolder(connectionOf(slot).lease(call, never), folderId, mode)
  return { ...opened, openedAt: Date.now() }
}

const never = (): boolean => false

function connectionOf(slot: Slot): Connection {
  if (slot.connection === null) throw new TypeError('a lease without a connection')
  return slot.connection
}

function isLost({ code }: Fault): boolean {
  return code === 'provider_unavailable' || code === 'timeout'
}

function reasonOf({ details }: Fault): string | null {
  const { reason } = details
  return typeof reason === 'string' ? reason : null
}
