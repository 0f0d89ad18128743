import { Fault, timeoutFault } from '@postern/core'
import { tlsReason } from '../tls.ts'
import type { LoginReason } from './login-refusal.ts'
import type { Answer } from './wire.ts'

/**
 * What went wrong on the way to a mailbox, told in `details.reason`. A refused, a filtered and a silent port
 * are one reason: telling them apart would make a port scanner of the connection test.
 */
export type DialReason =
  | 'dns'
  | 'private_address'
  | 'port_not_allowed'
  | 'unreachable'
  | 'tls_expired'
  | 'tls_self_signed'
  | 'tls_untrusted'
  | 'tls_name_mismatch'
  | 'tls_not_spoken'
  | 'tls_failed'
  | 'starttls_missing'
  | 'cleartext_refused'
  | 'not_imap'
  | 'login_disabled'
  | 'login_timeout'
  | LoginReason

const nothingChanged = 'Nothing was changed.'

/** The mailbox cannot be reached now; trying again later may help. */
export function unavailable(reason: DialReason | 'lost' | 'busy' | 'closed', internal: string): Fault {
  const texts: Partial<Record<typeof reason, string>> = {
    busy: 'All connections that this mailbox allows are in use.',
    lost: 'The connection to the mail server was lost.',
    closed: 'Postern is closing its connections to this mailbox.',
    too_many_connections: 'The mail server accepts no further connection to this mailbox at the moment.',
  }
  const what = texts[reason] ?? 'The mail server of this inbox could not be reached or did not answer as one.'
  return new Fault('provider_unavailable', {
    public: `${what} ${nothingChanged} Repeating in a while may help.`,
    internal,
    details: { reason },
    ...(reason === 'busy' || reason === 'too_many_connections' ? { retryAfterSeconds: 5 } : {}),
  })
}

/** The server answered what no client can work with; repeating does not help. */
export function misbehaved(internal: string, cause?: unknown): Fault {
  return new Fault('provider_error', {
    public: `The mail server gave an answer that Postern cannot use. ${nothingChanged}`,
    internal,
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The owner must act before this mailbox can be read again. */
export function reconnectRequired(reason: DialReason, internal: string): Fault {
  return new Fault('inbox_reconnect_required', {
    public:
      'The mail server does not accept the stored credential of this inbox. The owner must connect it again; ' +
      'no mail was read or changed.',
    internal,
    details: { reason },
  })
}

/** The provider asks for patience. */
export function rateLimited(internal: string, retryAfterSeconds: number): Fault {
  return new Fault('provider_rate_limited', {
    public: `The mail server limits how often this mailbox may be asked. ${nothingChanged} Wait before repeating.`,
    internal,
    retryAfterSeconds: Math.min(3_600, Math.max(1, Math.ceil(retryAfterSeconds))),
  })
}

/** No such folder, or none that can hold messages. The caller's spelling is not repeated: it may be a mailbox text. */
export function folderNotFound(internal: string): Fault {
  return new Fault('folder_not_found', {
    public: 'There is no folder with this folder_id that can be opened. folder_list gives the current ids.',
    internal,
  })
}

/** One wording for gone, foreign and never existing messages. */
export function messageNotFound(internal?: string): Fault {
  return new Fault('message_not_found', {
    public:
      'No message with this message_id is in the mailbox any more. A fresh list or search gives current ids.',
    ...(internal === undefined ? {} : { internal }),
  })
}

/** @throws what a refused command means, with the server's words in the log only. */
export function requireOk(answer: Answer, command: string): Answer {
  if (answer.status === 'OK') return answer
  throw refused(answer, command)
}

/**
 * The answer to a UID FETCH that brought nothing. RFC 3501 6.4.8 and RFC 2180 4.1: a UID that is gone is no error
 * but some servers say NO; one that says it has trouble has not said that anything is gone.
 * @throws provider_*.
 */
export function requireAbsence(answer: Answer): void {
  const isTrouble = answer.code !== null && answer.code !== 'EXPUNGEISSUED' && answer.code !== 'NONEXISTENT'
  if (answer.status === 'BAD' || (answer.status === 'NO' && isTrouble)) throw refused(answer, 'UID FETCH')
}

/**
 * Whether what an answer lacks is really not there: it may stand in a line that could not be parsed.
 * @throws provider_error.
 */
export function requireReadable({ unreadable }: Answer, command: string): void {
  if (unreadable > 0) throw misbehaved(`${command}: ${unreadable} lines that are no IMAP`)
}

/** A tagged NO or BAD as a Fault. RFC 5530 codes decide; without one the command was refused for good. */
export function refused(answer: Answer, command: string): Fault {
  const internal = `${command}: ${answer.status} ${answer.code ?? ''} ${answer.text}`
  switch (answer.code ?? '') {
    case 'UNAVAILABLE':
    case 'INUSE':
    case 'SERVERBUG':
      return unavailable('lost', internal)
    case 'LIMIT':
    case 'OVERQUOTA':
    case 'THROTTLED':
      return rateLimited(internal, 60)
    case 'NONEXISTENT':
    case 'NOPERM':
    case 'CANNOT':
      return folderNotFound(internal)
    default:
      return misbehaved(internal)
  }
}

/** Codes of imapflow for an answer that broke a bound or the grammar: the connection is gone, the server at fault. */
const nonsense = new Set([
  'LineTooLarge',
  'LiteralTooLarge',
  'ResponseTooLarge',
  'TooManyTokens',
  'TooManyResponses',
  'UnexpectedTag',
  'MissingTag',
  'InvalidResponse',
  'ResponseProcessingFailed',
  'MAX_IMAP_NESTING_REACHED',
])

/** Whatever imapflow or a socket raised during a command, as a Fault. */
export function commandFault(error: unknown, command: string): Fault {
  if (error instanceof Fault) return error
  const { code, text } = describe(error)
  const internal = `${command}: ${code} ${text}`
  if (nonsense.has(code) || code.startsWith('ParserError')) return misbehaved(internal, error)
  if (code === 'ETIMEOUT' || code === 'ETIMEDOUT') return timeoutFault(internal)
  return unavailable('lost', internal)
}

/** Whatever imapflow or a socket raised while connecting, before the login was answered, as a Fault. */
export function connectFault(error: unknown, isTlsStage: boolean): Fault {
  if (error instanceof Fault) return error
  const { code, text } = describe(error)
  const internal = `connect: ${code} ${text}`
  const tls = tlsReason(code) ?? (isTlsStage && isTlsFailure(error) ? 'tls_failed' : null)
  if (tls !== null) return unavailable(tls, internal)
  if (/too many|maximum number of/i.test(text)) return unavailable('too_many_connections', internal)
  if (/STARTTLS/.test(text)) return unavailable('starttls_missing', internal)
  if (nonsense.has(code) || code === 'GREETING_TIMEOUT') return unavailable('not_imap', internal)
  return unavailable('unreachable', internal)
}

function isTlsFailure(error: unknown): boolean {
  return error instanceof Error && 'tlsFailed' in error && error.tlsFailed === true
}

/** Code and text of a foreign error, for the log; imapflow puts the server's own words beside the message. */
export function describe(error: unknown): { code: string; text: string } {
  if (!(error instanceof Error)) return { code: 'unknown', text: String(error) }
  const extra = ['responseText', 'response', 'reason']
    .map((key) => (key in error ? (error as unknown as Record<string, unknown>)[key] : undefined))
    .filter((value) => typeof value === 'string')
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return { code, text: [error.message, ...extra].join(' ') }
}
