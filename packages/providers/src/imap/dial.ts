import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { remainingMs, timeoutFault, type Fault, type ResolvedHost } from '@postern/core'
import type { Call } from '@postern/mail'
import type { ImapFlow, ImapFlowOptions, ImapTransport } from 'imapflow'
import { tlsOptions, type TlsTrust } from '../tls.ts'
import { Connection } from './connection.ts'
import type { ImapCredential } from './credential.ts'
import { commandFault, connectFault, describe, reconnectRequired, unavailable } from './faults.ts'
import { loginReason } from './login-refusal.ts'
import { resolveServer, type Reach } from './resolve-server.ts'
import { text, tokenText, type Argument } from './wire.ts'

/** How far a connection came. `greeting` and `login` cannot be told apart before the greeting is there. */
export type DialStage = 'resolve' | 'tcp' | 'tls' | 'greeting' | 'login'

export interface DialOptions extends Reach {
  /** PEM of authorities that this installation trusts beside the usual ones. */
  readonly extraCa?: string | undefined
  readonly onStage?: (stage: DialStage) => void
  readonly timeouts?: Partial<Timeouts>
}

interface Timeouts {
  readonly connectMs: number
  readonly greetingMs: number
  readonly loginMs: number
}

const defaultTimeouts: Timeouts = { connectMs: 10_000, greetingMs: 5_000, loginMs: 10_000 }

/** Ports that a stranger may make this service dial. */
const mailPorts: ReadonlySet<number> = new Set([143, 993, 443, 465, 587])

/** Bounds of imapflow's parser, for what one answer may hold; a command's own octet bound is tighter. */
const parserBounds = {
  maxLineLength: 16 * 1024 * 1024,
  maxLiteralSize: 64 * 1024 * 1024,
  maxResponseSize: 80 * 1024 * 1024,
  maxResponseTokens: 100_000,
} satisfies ImapFlowOptions

/**
 * Resolves, checks, connects, encrypts, logs in. The address that was checked is the one dialled, with the
 * name for TLS; nothing is sent in clear but where `none` was chosen for a private host.
 * @throws inbox_reconnect_required (login refused), provider_unavailable, invalid_arguments (address or port
 * not allowed), timeout. `details.reason` is a `DialReason`.
 */
export async function dial(
  credential: ImapCredential,
  options: DialOptions,
  call: Call,
): Promise<Connection> {
  const timeouts = { ...defaultTimeouts, ...options.timeouts }
  options.onStage?.('resolve')
  const resolved = await resolveServer(credential, mailPorts, options, earlier(call, timeouts.connectMs))
  const { ImapFlow } = await import('imapflow')
  call.signal.throwIfAborted()

  let connection: Connection | null = null
  const stage = new Stage(options.onStage)
  const client = new ImapFlow({
    ...clientOptions(credential, resolved.host, timeouts),
    transport: transport(credential, resolved, {
      trust: { extraCa: options.extraCa, caPem: credential.caPem },
      stage,
      onOctets: (count) => connection?.countOctets(count),
    }),
    logger: listeningLogger({
      onThrottled: (delayMs) => connection?.onThrottled(delayMs),
      onUnreadable: () => connection?.onUnreadable(),
    }),
  })
  connection = new Connection(client)
  // Before connect(): an `error` event without a listener would end the process.
  client.on('error', (error) => connection.fail(commandFault(error, 'connection')))
  await connectWithin(client, connection, { timeouts, stage, call })
  connection.attend()
  await introduce(connection, call)
  return connection
}

function clientOptions(credential: ImapCredential, host: string, timeouts: Timeouts): ImapFlowOptions {
  return {
    host,
    port: credential.port,
    secure: credential.tls === 'implicit',
    // Demanded or refused, never opportunistic: a stripped capability must not turn TLS off.
    doSTARTTLS: credential.tls === 'starttls',
    auth: { user: credential.username, pass: credential.password },
    clientInfo: { name: 'Postern', vendor: 'Postern', version: '0.1', 'support-url': false },
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    disableAutoIdle: true,
    // What is enabled changes how names and answers are spelled, so we say ourselves what is.
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    // A compressed answer has no bound that holds before it is unpacked.
    disableCompression: true,
    disableBinary: true,
    ...parserBounds,
  }
}

/** Knows which step is under way, and whether a failure belongs to TLS. */
class Stage {
  current: DialStage = 'resolve'
  readonly #listener: ((stage: DialStage) => void) | undefined

  constructor(listener: ((stage: DialStage) => void) | undefined) {
    this.#listener = listener
  }

  enter(stage: DialStage): void {
    this.current = stage
    this.#listener?.(stage)
  }
}

interface Wiring {
  readonly trust: TlsTrust
  readonly stage: Stage
  readonly onOctets: (count: number) => void
}

/** Sockets to the checked address, each watched for how much it delivers. */
function transport(credential: ImapCredential, resolved: ResolvedHost, wiring: Wiring): ImapTransport {
  const { stage, onOctets } = wiring
  const secure = tlsOptions(resolved.host, wiring.trust)
  const target = { host: resolved.address, port: credential.port, family: resolved.family, noDelay: true }
  const count = (chunk: Buffer): void => onOctets(chunk.length)
  return {
    connect(_destination, onConnect) {
      stage.enter('tcp')
      const onReady = (): void => {
        stage.enter('greeting')
        onConnect()
        // Behind imapflow's own pipe, so that nothing flows before it is attached.
        socket.on('data', count)
      }
      const isImplicit = credential.tls === 'implicit'
      const socket: Socket = isImplicit
        ? connectTls({ ...secure, ...target }, onReady)
        : connectTcp(target, onReady)
      if (isImplicit) socket.once('connect', () => stage.enter('tls'))
      return socket
    },
    // imapflow looks for octets that were slipped in before the handshake: a listener here would swallow them.
    prepareUpgrade: (plain) => void plain.off('data', count),
    upgrade(plain, _options, onSecure) {
      stage.enter('tls')
      const socket = connectTls({ ...secure, socket: plain }, () => {
        stage.enter('login')
        onSecure()
        socket.on('data', count)
      })
      return socket
    },
  }
}

async function connectWithin(
  client: ImapFlow,
  connection: Connection,
  { timeouts, stage, call }: { timeouts: Timeouts; stage: Stage; call: Call },
): Promise<void> {
  const patienceMs = timeouts.connectMs + timeouts.greetingMs + timeouts.loginMs
  const onAbort = (): void => connection.fail(timeoutFault('cancelled while connecting'))
  const deadline = setTimeout(
    () => connection.fail(timeoutFault(`deadline of the call at ${stage.current}`)),
    remainingMs(call.deadline),
  )
  const patience = setTimeout(
    () => connection.fail(unavailable('login_timeout', `no session after ${patienceMs} ms`)),
    patienceMs,
  )
  call.signal.addEventListener('abort', onAbort, { once: true })
  try {
    await client.connect()
  } catch (error) {
    call.signal.throwIfAborted()
    const fault =
      connection.failure ?? loginFault(error, client) ?? connectFault(error, stage.current === 'tls')
    connection.fail(fault)
    throw fault
  } finally {
    clearTimeout(deadline)
    clearTimeout(patience)
    call.signal.removeEventListener('abort', onAbort)
  }
}

/** A refused login as a Fault; null when the failure came before or beside it. */
function loginFault(error: unknown, client: ImapFlow): Fault | null {
  if (!(error instanceof Error) || !('authenticationFailed' in error) || error.authenticationFailed !== true)
    return null
  const { text: said } = describe(error)
  const code =
    'serverResponseCode' in error && typeof error.serverResponseCode === 'string'
      ? error.serverResponseCode
      : null
  const internal = `login: ${code ?? ''} ${said}`
  const offers = [...client.capabilities.keys()].map((name) => name.toUpperCase())
  const takesPassword = offers.includes('AUTH=PLAIN') || offers.includes('AUTH=LOGIN')
  if (/login is disabled|no matching authentication/i.test(said) && !takesPassword) {
    const isOauth = offers.some((name) => /^AUTH=(?:XOAUTH2|OAUTHBEARER)$/.test(name))
    return reconnectRequired(isOauth ? 'oauth_needed' : 'login_disabled', internal)
  }
  const reason = loginReason(code, said)
  const isPassing = reason === 'temporary' || reason === 'too_many_connections'
  return isPassing ? unavailable(reason, internal) : reconnectRequired(reason, internal)
}

const identity: readonly Argument[] = ['name', 'Postern', 'vendor', 'Postern'].map((word) =>
  text(word, false),
)

/** What some servers want to hear, and what we want them to say, before the first mailbox is opened. */
async function introduce(connection: Connection, call: Call): Promise<void> {
  // 163 and 126 answer EXAMINE with "Unsafe Login" until they were told who asks, after the login.
  if (connection.capabilities.has('ID')) {
    await connection.run({ command: 'ID', args: [identity] }, {}, call)
  }
  // RFC 6855: without it a server may hide or rewrite messages with UTF-8 headers.
  if (connection.capabilities.has('UTF8=ACCEPT') && connection.capabilities.has('ENABLE')) {
    const answer = await connection.run(
      { command: 'ENABLE', args: [{ type: 'ATOM', value: 'UTF8=ACCEPT' }] },
      { collect: ['ENABLED'] },
      call,
    )
    const enabled = answer.lines.flatMap((line) =>
      line.tokens.map((token) => tokenText(token)?.toUpperCase()),
    )
    connection.isUtf8 = answer.status === 'OK' && enabled.includes('UTF8=ACCEPT')
  }
}

function earlier(call: Call, ms: number): Call {
  return { ...call, deadline: new Date(Math.min(call.deadline.getTime(), Date.now() + ms)) }
}

type Logger = Exclude<ImapFlowOptions['logger'], false | undefined>

interface Listeners {
  readonly onThrottled: (delayMs: number) => void
  readonly onUnreadable: () => void
}

/**
 * imapflow's log lines hold addresses, folder names and server text, so none is kept. Two are heard, of what it does
 * not tell in any other way: that it has begun to wait out a throttled answer, and that it passed over a line which
 * it could not parse.
 */
function listeningLogger({ onThrottled, onUnreadable }: Listeners): Logger {
  const silent = (): void => undefined
  return {
    trace: silent,
    debug: silent,
    info: silent,
    warn: (entry: unknown) => {
      if (typeof entry !== 'object' || entry === null || !('throttleDelay' in entry)) return
      const delayMs = entry.throttleDelay
      // Not from inside the log call: the wait that is to be ended begins behind it.
      if (typeof delayMs === 'number') setImmediate(() => onThrottled(delayMs))
    },
    error: (entry: unknown) => {
      if (typeof entry === 'object' && entry !== null && 'payloadBytes' in entry) onUnreadable()
    },
    fatal: silent,
    // Keeps imapflow from compiling each line a second time for a log nobody reads.
    isLevelEnabled: (level: string) => level === 'warn',
  } as Logger
}
