import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { remainingMs, type Fault, type ResolvedHost } from '@postern/core'
import type { Call } from '@postern/mail'
import { tlsOptions, tlsReason } from '../tls.ts'
import { describe } from './faults.ts'
import { resolveServer, type Reach } from './resolve-server.ts'
import type { SmtpAccount } from './smtp-account.ts'
import { SmtpConnection } from './smtp-connection.ts'
import { smtpExtensions, type SmtpExtensions } from './smtp-extensions.ts'
import { notSmtp, smtpTooLate, smtpUnavailable } from './smtp-faults.ts'
import { smtpLogin } from './smtp-login.ts'

/** How far a connection came. */
export type SmtpStage = 'resolve' | 'tcp' | 'tls' | 'greeting' | 'login'

/** Milliseconds that each step may take, all of them within the deadline of the call. */
export interface SmtpTimeouts {
  readonly connectMs: number
  /** Some servers let a client wait to see whether it is patient. */
  readonly greetingMs: number
  readonly commandMs: number
  /** A recipient may be asked about elsewhere. */
  readonly envelopeMs: number
  /** For the next 64 KiB of the message to leave. */
  readonly dataMs: number
}

export interface SmtpOptions extends Reach {
  /** PEM of authorities that this installation trusts beside the usual ones. */
  readonly extraCa?: string | undefined
  readonly onStage?: (stage: SmtpStage) => void
  readonly timeouts?: Partial<SmtpTimeouts>
}

/** A server that knows us and waits for a message. */
export interface SmtpSession {
  readonly connection: SmtpConnection
  readonly extensions: SmtpExtensions
  readonly timeouts: SmtpTimeouts
}

const defaultTimeouts: SmtpTimeouts = {
  connectMs: 10_000,
  greetingMs: 20_000,
  commandMs: 20_000,
  envelopeMs: 30_000,
  dataMs: 30_000,
}

/** Ports that a stranger may make this service dial. 25 is not among them: it is for servers, and takes no login. */
const submissionPorts: ReadonlySet<number> = new Set([465, 587, 2525])

/** RFC 5321 4.1.3. Where this machine stands in its network concerns no one to whom its mail is passed on. */
const ehlo = 'EHLO [127.0.0.1]'

/**
 * Resolves, checks, connects, encrypts, logs in: as for IMAP, TLS is demanded and never opportunistic, and the address
 * that was checked is the one dialled.
 * @throws inbox_reconnect_required (login refused), provider_unavailable, provider_error, invalid_arguments (address
 * or port not allowed), timeout, `signal.reason`. `details.reason` is a `SmtpReason`.
 */
export async function smtpDial(account: SmtpAccount, options: SmtpOptions, call: Call): Promise<SmtpSession> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  const way: Way = { account, options, timeouts, call, enter: (stage) => options.onStage?.(stage) }
  way.enter('resolve')
  const inTime = {
    ...call,
    deadline: new Date(Math.min(call.deadline.getTime(), Date.now() + timeouts.connectMs)),
  }
  const resolved = await resolveServer(account, submissionPorts, options, inTime)
  const socket = await openSocket(resolved, way)
  const connection = new SmtpConnection(socket, call)
  const stop = (): void => connection.cut()
  call.signal.addEventListener('abort', stop, { once: true })
  try {
    const extensions = await introduce(connection, resolved, way)
    way.enter('login')
    await smtpLogin({ connection, extensions, timeouts }, account)
    call.signal.throwIfAborted()
    return { connection, extensions, timeouts }
  } catch (error) {
    connection.cut()
    call.signal.throwIfAborted()
    throw error
  } finally {
    call.signal.removeEventListener('abort', stop)
  }
}

interface Way {
  readonly account: SmtpAccount
  readonly options: SmtpOptions
  readonly timeouts: SmtpTimeouts
  readonly call: Call
  readonly enter: (stage: SmtpStage) => void
}

async function openSocket({ host, address, family }: ResolvedHost, way: Way): Promise<Socket> {
  const { account, call, timeouts } = way
  way.enter('tcp')
  const socket = connectTcp({ host: address, port: account.port, family, noDelay: true })
  await settled(socket, 'connect', timeouts.connectMs, call)
  return account.tls === 'implicit' ? encrypt(socket, host, way) : socket
}

async function encrypt(plain: Socket, host: string, way: Way): Promise<Socket> {
  way.enter('tls')
  const { caPem } = way.account
  const socket = connectTls({ ...tlsOptions(host, { extraCa: way.options.extraCa, caPem }), socket: plain })
  await settled(socket, 'secureConnect', way.timeouts.connectMs, way.call)
  return socket
}

/** Waits until a socket is ready. @throws provider_unavailable, timeout, `signal.reason`; the socket is gone then. */
async function settled(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  ms: number,
  call: Call,
): Promise<void> {
  // For as long as it lives: an `error` event without a listener would end the process.
  socket.on('error', () => undefined)
  const limit = AbortSignal.timeout(Math.min(ms, remainingMs(call.deadline)))
  try {
    await once(socket, event, { signal: AbortSignal.any([call.signal, limit]) })
  } catch (error) {
    socket.destroy()
    call.signal.throwIfAborted()
    throw socketFault(error, event, call)
  }
}

function socketFault(error: unknown, event: 'connect' | 'secureConnect', call: Call): Fault {
  if (remainingMs(call.deadline) === 0) return smtpTooLate(`${event}: deadline of the call`)
  const { code, text } = describe(error)
  const tls = tlsReason(code) ?? (event === 'secureConnect' ? 'tls_failed' : null)
  return smtpUnavailable(tls ?? 'unreachable', `${event}: ${code} ${text}`, error)
}

/** Greeting, EHLO, and where it is wanted TLS and EHLO again: what was offered in clear counts for nothing then. */
async function introduce(
  connection: SmtpConnection,
  { host }: ResolvedHost,
  way: Way,
): Promise<SmtpExtensions> {
  const { account, timeouts } = way
  way.enter('greeting')
  await greet(connection, timeouts)
  const offered = await hello(connection, timeouts)
  if (account.tls !== 'starttls') return offered
  way.enter('tls')
  if (!offered.has('STARTTLS')) throw smtpUnavailable('starttls_missing', 'STARTTLS is not offered')
  const { code } = await connection.ask('STARTTLS', 'STARTTLS', timeouts.commandMs)
  if (code !== 220) throw smtpUnavailable('starttls_refused', `STARTTLS: ${code}`)
  await connection.upgrade((plain) => encrypt(plain, host, way))
  return hello(connection, timeouts)
}

/** RFC 5321 3.1: 220, or a server that does not want to talk, now (421) or at all (554). */
async function greet(connection: SmtpConnection, { greetingMs }: SmtpTimeouts): Promise<void> {
  const { code, lines } = await connection.read('greeting', greetingMs)
  const internal = `greeting: ${code} ${lines.join(' / ')}`
  if (code === 220) return
  if (code >= 400 && code < 500) throw smtpUnavailable('lost', internal)
  throw code >= 500 ? smtpUnavailable('turned_away', internal) : notSmtp(internal)
}

/** HELO is no way out: without extensions there is neither TLS nor a login. */
async function hello(connection: SmtpConnection, { commandMs }: SmtpTimeouts): Promise<SmtpExtensions> {
  const reply = await connection.ask('EHLO', ehlo, commandMs)
  if (reply.code === 250) return smtpExtensions(reply)
  const internal = `EHLO: ${reply.code} ${reply.lines.join(' / ')}`
  throw reply.code === 421 ? smtpUnavailable('lost', internal) : notSmtp(internal)
}
