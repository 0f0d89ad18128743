import { remainingMs, type Fault } from '@postern/core'
import type { Call } from '@postern/mail'
import type { Socket } from 'node:net'
import { notSmtp, smtpLost, smtpTooLate, smtpUnavailable } from './smtp-faults.ts'
import { SmtpReplyReader, type SmtpReply } from './smtp-reply.ts'

/** How long a good-bye may take; nothing waits for it. */
const farewellMs = 1_000

/**
 * A conversation with a submission server over one socket. Each wait has a limit of its own that
 * octets do not extend, and ends with the deadline of the call. What breaks a rule ends the connection.
 */
export class SmtpConnection {
  readonly #call: Call
  readonly #reader = new SmtpReplyReader()
  #socket: Socket
  #failure: Fault | null = null
  #wake: () => void = () => undefined

  constructor(socket: Socket, call: Call) {
    this.#call = call
    this.#socket = socket
    this.#listen(socket)
  }

  /** Why it is over, or null while it is not. */
  get failure(): Fault | null {
    return this.#failure
  }

  /** Something was said that was not taken yet. */
  get hasReply(): boolean {
    return this.#reader.hasReply
  }

  /** Waits for the next reply. @throws provider_*, timeout. */
  async read(step: string, ms: number): Promise<SmtpReply> {
    await this.#until(() => this.#reader.hasReply, step, ms)
    return this.#reader.take() ?? this.#fail(notSmtp(`${step}: no reply`))
  }

  /** Sends commands of which the answers are read afterwards, in their order. @throws as `ask`. */
  say(step: string, lines: readonly string[]): void {
    this.#requireQuiet(step)
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''))
  }

  /** Sends one command and waits for its answer. @throws as `read`; provider_* too for an answer that came before. */
  async ask(step: string, line: string, ms: number): Promise<SmtpReply> {
    this.say(step, [line])
    return this.read(step, ms)
  }

  /**
   * Sends octets of a message, and comes back when there is room for more or a reply is there, which ends the sending.
   * @throws provider_*, timeout.
   */
  async write(octets: Uint8Array, step: string, ms: number): Promise<void> {
    const socket = this.#socket
    this.#requireAlive()
    if (socket.write(octets)) return
    await this.#until(() => !socket.writableNeedDrain || this.#reader.hasReply, step, ms)
    if (!this.#reader.hasReply) this.#requireAlive()
  }

  /**
   * Goes on over the socket that `secure` makes of this one. What was said before is forgotten, and must have been
   * nothing: words slipped in before the handshake would be taken for the server's own (RFC 3207 6).
   * @throws provider_error, what `secure` throws.
   */
  async upgrade(secure: (plain: Socket) => Promise<Socket>): Promise<void> {
    if (!this.#reader.isEmpty) this.#fail(notSmtp('STARTTLS: words before the handshake'))
    const plain = this.#socket
    plain.removeAllListeners('data')
    this.#socket = await secure(plain)
    this.#listen(this.#socket)
  }

  /** Says good-bye, and does not wait for the answer. */
  leave(): void {
    const socket = this.#socket
    socket.end('QUIT\r\n')
    const timer = setTimeout(() => socket.destroy(), farewellMs).unref()
    socket.once('close', () => clearTimeout(timer))
  }

  /** Cuts it: what was begun is not finished. */
  cut(): void {
    this.#socket.destroy()
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      if (this.#failure !== null) return
      this.#reader.feed(chunk)
      if (this.#reader.failure !== null) this.#end(this.#reader.failure)
      this.#wake()
    })
    socket.on('drain', () => this.#wake())
    socket.on('error', (error) => this.#end(smtpLost(error, 'socket')))
    socket.on('close', () => this.#end(smtpUnavailable('lost', 'closed by the server')))
    // Half open is of no use: nothing more will be answered.
    socket.on('end', () => this.#end(smtpUnavailable('lost', 'ended by the server')))
  }

  /** A server that speaks out of turn is closing, or its next words would be taken for an answer. */
  #requireQuiet(step: string): void {
    if (this.#reader.isEmpty) return this.#requireAlive()
    const said = this.#reader.take()
    const isClosing = said?.code === 421
    const what = `${step}: ${isClosing ? '421' : 'an answer that was not asked for'}`
    this.#fail(isClosing ? smtpUnavailable('lost', what) : notSmtp(what))
  }

  /** @throws the failure of the connection, where it comes first. */
  async #until(isDone: () => boolean, step: string, ms: number): Promise<void> {
    const leftMs = remainingMs(this.#call.deadline)
    const late = (): void =>
      this.#end(
        leftMs < ms
          ? smtpTooLate(`${step}: deadline of the call`)
          : smtpUnavailable('not_smtp', `${step}: no answer for ${ms} ms`),
      )
    const timer = setTimeout(late, Math.min(ms, leftMs))
    try {
      while (!isDone()) {
        this.#requireAlive()
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    } finally {
      clearTimeout(timer)
    }
  }

  #requireAlive(): void {
    if (this.#failure !== null) throw this.#failure
  }

  #fail(fault: Fault): never {
    this.#end(fault)
    throw fault
  }

  #end(fault: Fault): void {
    this.#failure ??= fault
    this.#socket.destroy()
    this.#wake()
  }
}
