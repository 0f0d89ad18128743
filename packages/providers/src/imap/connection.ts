import { remainingMs, timeoutFault, type Fault } from '@postern/core'
import type { Call } from '@postern/mail'
import type { ImapFlow } from 'imapflow'
import { commandFault, describe, misbehaved, rateLimited, unavailable } from './faults.ts'
import { paceInput } from './pace-input.ts'
import type { ImapConnection, RunOptions } from './pool.ts'
import { strikeOut } from './strike-out.ts'
import { isList, tokenText, type Answer, type Argument, type Line, type Token } from './wire.ts'

/** Silence that a command may keep before its connection counts as dead. */
const silenceMs = 20_000
/** Octets that an answer may have where the command does not say otherwise. */
const defaultMaxOctets = 8 * 1024 * 1024
/** Octets that a server may send while nothing was asked, and until the login is done. */
const idleMaxOctets = 256 * 1024
const loginMaxOctets = 64 * 1024

/** What imapflow's parser makes of a line. */
interface RawLine {
  readonly command?: string
  readonly attributes?: readonly Token[]
  readonly numbers?: readonly number[]
}

/** Lines that change how many messages the open mailbox has. */
const tallied: ReadonlySet<string> = new Set(['EXISTS', 'EXPUNGE'])

type RawHandler = (line: RawLine) => Promise<void>

type Status = Pick<Answer, 'status' | 'code' | 'section' | 'text'>

/**
 * `exec` is imapflow's own way to send any command. It is missing from its type declarations, and it is the
 * one place where raw BODYSTRUCTURE, exact mailbox names and extensions like PREVIEW can be had.
 */
interface RawClient {
  exec(
    command: string,
    args: readonly Argument[],
    options: {
      untagged: Readonly<Record<string, RawHandler>>
      /** Takes the `+` of a command that goes on until the client ends it. */
      onPlusTag?: () => Promise<void>
    },
  ): Promise<{ response: RawLine; next: () => void }>
  write(line: string): void
  /** Takes the lines that no command asked for, by keyword. */
  readonly untaggedHandlers: Record<string, RawHandler>
}

/**
 * One live IMAP connection and its bounds. Whatever breaks it is kept as one Fault, so that each command that
 * was or will be asked of it fails with the reason and not with the consequence.
 */
export class Connection {
  readonly #client: ImapFlow
  readonly #raw: RawClient
  #failure: Fault | null = null
  #capabilities: ReadonlySet<string> | null = null
  #isBusy = false
  #octetsLeft = loginMaxOctets
  #silence: NodeJS.Timeout | null = null
  #unreadable = 0
  #exists: number | null = null
  /** What an EXISTS that tells of arrivals alone has to say at least; nothing does once the mailbox shrank. */
  #leastExists = 0
  isUtf8 = false
  /** Set by the pool: the connection is gone, whoever ended it. */
  onClosed: (() => void) | null = null

  constructor(client: ImapFlow) {
    this.#client = client
    this.#raw = client as unknown as RawClient
  }

  /** The login is done: from now on an end of the connection is a loss, not a failed attempt. */
  attend(): void {
    this.#client.on('close', () => {
      this.#failure ??= unavailable('lost', 'the server closed the connection')
      this.onClosed?.()
    })
    paceInput(this.#client)
    for (const keyword of tallied) {
      this.#raw.untaggedHandlers[keyword] = async (raw) => this.#tally(readLine(raw))
    }
    if (this.#client.isClosed) this.fail(unavailable('lost', 'closed right after the login'))
  }

  get failure(): Fault | null {
    return this.#failure
  }

  get isUsable(): boolean {
    return this.#failure === null && this.#client.usable
  }

  /**
   * Messages in the open mailbox: as the server said when it was opened, and more as they arrived (RFC 3501 7.3.1). Null once any was
   * expunged: a mailbox that was deleted and made anew shows itself to Cyrus and Courier sessions as expunges alone.
   */
  get exists(): number | null {
    return this.#exists
  }

  /** Names after login; asked for earlier, they are those of an unauthenticated session. */
  get capabilities(): ReadonlySet<string> {
    this.#capabilities ??= new Set([...this.#client.capabilities.keys()].map((name) => name.toUpperCase()))
    return this.#capabilities
  }

  /** Called with each chunk the socket delivers: the only bound that holds whatever the parser buffers. */
  countOctets(count: number): void {
    this.#octetsLeft -= count
    this.#silence?.refresh()
    if (this.#octetsLeft < 0) this.fail(misbehaved('the answer exceeds its bound'))
  }

  /** Ends the connection; the first reason given is the one that its commands report. */
  fail(fault: Fault): void {
    this.#failure ??= fault
    this.#client.close()
  }

  /** Says LOGOUT without waiting for long, then closes. */
  async end(): Promise<void> {
    this.#failure ??= unavailable('closed', 'connection ended by the pool')
    const patience = setTimeout(() => this.#client.close(), 1_000)
    await Promise.allSettled([this.#client.logout()])
    clearTimeout(patience)
    this.#client.close()
  }

  /** imapflow passes over a line that it cannot parse; the command that it may have answered should know. */
  onUnreadable(): void {
    this.#unreadable += 1
  }

  /** imapflow waits out a throttled answer by itself, for minutes; the caller should hear of it now. */
  onThrottled(delayMs: number): void {
    this.fail(rateLimited(`throttled for ${delayMs} ms`, delayMs / 1_000))
  }

  /** The view of one lease: commands run under its call, and none after `isOver` says so. */
  lease(call: Call, isOver: () => boolean): ImapConnection {
    return {
      capabilities: this.capabilities,
      isUtf8: this.isUtf8,
      run: (command, args, options = {}) => {
        if (isOver()) throw new TypeError(`${command} on a connection that was given back`)
        return this.run({ command, args }, options, call)
      },
    }
  }

  async run(
    { command, args }: { command: string; args: readonly Argument[] },
    options: RunOptions,
    call: Call,
  ): Promise<Answer> {
    call.signal.throwIfAborted()
    if (this.#failure !== null) throw this.#failure
    if (remainingMs(call.deadline) === 0) throw timeoutFault(`${command}: no time left`)
    if (this.#isBusy) throw new TypeError(`${command} while another command runs`)
    const stop = this.#watch(command, options, call)
    const lines: Line[] = []
    const keep = options.onLine ?? ((line: Line) => void lines.push(line))
    const untagged = Object.fromEntries(
      (options.collect ?? []).map((keyword) => [
        keyword,
        async (raw: RawLine): Promise<void> =>
          this.#guarded(() => {
            const line = readLine(raw)
            this.#tally(line)
            keep(line)
          }),
      ]),
    )
    options.onSend?.()
    if (command === 'EXAMINE' || command === 'SELECT') {
      this.#exists = null
      this.#leastExists = 0
    }
    const { until } = options
    const sent = this.#raw.exec(command, args, {
      untagged,
      ...(until === undefined ? {} : { onPlusTag: async () => this.#endAfter(until) }),
    })
    try {
      const answer = await sent.then(
        ({ response, next: release }) => {
          release()
          return readStatus('OK', response)
        },
        (error: unknown) => this.#refusal(error),
      )
      const broken = this.failure
      if (broken !== null) throw broken
      return { ...answer, text: strikeOut(answer.text, args), lines, unreadable: this.#unreadable }
    } catch (error) {
      call.signal.throwIfAborted()
      const fault = this.#failure ?? commandFault(error, command)
      this.fail(fault)
      throw fault
    } finally {
      stop()
    }
  }

  #tally({ keyword, number }: Line): void {
    if (keyword === 'EXISTS' && number !== null && number >= this.#leastExists) {
      this.#exists = number
      this.#leastExists = number
    } else if (tallied.has(keyword)) {
      this.#exists = null
      this.#leastExists = Infinity
    }
  }

  /** RFC 2177 3: DONE ends IDLE, and only once the server has said that it idles. */
  #endAfter(until: Promise<void>): void {
    void until.then(() => {
      if (this.isUsable) this.#raw.write('DONE')
    })
  }

  /** A tagged NO or BAD is an answer. @throws every other error of imapflow, as it is. */
  #refusal(error: unknown): Status {
    const answer = this.#failure === null ? readRefusal(error) : null
    if (answer === null) throw error
    return answer
  }

  /** imapflow logs what a line handler throws and goes on; ours must end the command instead. */
  #guarded(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.fail(commandFault(error, 'untagged line'))
      throw error
    }
  }

  /** Arms the bounds of one command; the returned function disarms them. */
  #watch(command: string, options: RunOptions, call: Call): () => void {
    this.#isBusy = true
    this.#unreadable = 0
    this.#octetsLeft = options.maxOctets ?? defaultMaxOctets
    const onDeadline = (): void => this.fail(timeoutFault(`${command}: deadline of the call`))
    const onAbort = (): void => this.fail(timeoutFault(`${command}: cancelled`))
    const deadline = setTimeout(onDeadline, remainingMs(call.deadline))
    const silence = options.isPatient
      ? null
      : setTimeout(() => this.fail(timeoutFault(`${command}: ${silenceMs} ms without an octet`)), silenceMs)
    this.#silence = silence
    call.signal.addEventListener('abort', onAbort, { once: true })
    return () => {
      this.#isBusy = false
      clearTimeout(deadline)
      if (silence !== null) clearTimeout(silence)
      this.#silence = null
      this.#octetsLeft = idleMaxOctets
      call.signal.removeEventListener('abort', onAbort)
    }
  }
}

function readLine(raw: RawLine): Line {
  const command = raw.command ?? ''
  const tokens = raw.attributes ?? []
  const isNumbered = /^\d{1,10}$/.test(command)
  return {
    keyword: (isNumbered ? (tokenText(tokens[0]) ?? '') : command).toUpperCase(),
    number: isNumbered ? Number(command) : null,
    tokens: isNumbered ? tokens.slice(1) : tokens,
    numbers: raw.numbers ?? null,
  }
}

/** The code and words of a status line: imapflow hangs the code in the section of an empty first atom. */
export function readStatus(status: Answer['status'], raw: RawLine): Status {
  const tokens = raw.attributes ?? []
  const first = tokens[0]
  const section = first === null || first === undefined || isList(first) ? undefined : first.section
  const words = tokens.filter((token) => token !== null && !isList(token) && token.type === 'TEXT')
  return {
    status,
    code: tokenText(section?.[0])?.toUpperCase() ?? null,
    ...(section === undefined ? {} : { section }),
    text: words.map((token) => tokenText(token) ?? '').join(' '),
  }
}

/** imapflow throws a tagged NO or BAD; for us it is an answer. Null for every other error. */
function readRefusal(error: unknown): Status | null {
  if (!(error instanceof Error) || !('responseStatus' in error)) return null
  const status = error.responseStatus
  if (status !== 'NO' && status !== 'BAD') return null
  const raw = 'response' in error && typeof error.response === 'object' ? (error.response as RawLine) : {}
  const read = readStatus(status, raw)
  return read.text === '' ? { ...read, text: describe(error).text } : read
}
