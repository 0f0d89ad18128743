import { Fault } from '@postern/core'
import type { DialReason } from './faults.ts'
import type { SmtpReply } from './smtp-reply.ts'

/** What went wrong on the way to a submission server, told in `details.reason`. */
export type SmtpReason =
  | Exclude<DialReason, 'not_imap' | 'imap_disabled' | 'mailbox_not_connected'>
  /** What answers is no SMTP, or not in time. */
  | 'not_smtp'
  /** It said that it will not talk: the greeting of RFC 5321 3.1. */
  | 'turned_away'
  /** STARTTLS is offered and then refused. */
  | 'starttls_refused'
  /** Submission is switched off for this mailbox. */
  | 'smtp_disabled'
  /** It is closing (421), or the connection broke. */
  | 'lost'

const nothingSent = 'Nothing was sent.'

/** The submission server cannot be reached now; trying again later may help. */
export function smtpUnavailable(reason: SmtpReason, internal: string, cause?: unknown): Fault {
  const what =
    reason === 'lost'
      ? 'The submission server of this inbox closed the connection.'
      : 'The submission server of this inbox could not be reached or did not answer as one.'
  return new Fault('provider_unavailable', {
    public: `${what} ${nothingSent} Repeating in a while may help.`,
    internal: `smtp: ${internal}`,
    details: { reason },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** It said what no client can work with; repeating does not help. */
export function notSmtp(internal: string): Fault {
  return new Fault('provider_error', {
    public: `The submission server of this inbox gave an answer that Postern cannot use. ${nothingSent}`,
    internal: `smtp: ${internal}`,
    details: { reason: 'not_smtp' },
  })
}

/** The owner must act before anything can be sent from this inbox. */
export function smtpLoginRefused(reason: SmtpReason, internal: string): Fault {
  return new Fault('inbox_reconnect_required', {
    public:
      'The submission server does not accept the stored credential of this inbox. The owner must connect it again; ' +
      'nothing was sent.',
    internal: `smtp: ${internal}`,
    details: { reason },
  })
}

/** The call ended before the server answered, and before the message. */
export function smtpTooLate(internal: string): Fault {
  return new Fault('timeout', {
    public: `The submission server did not answer within the time of this call. ${nothingSent} Repeating is safe.`,
    internal: `smtp: ${internal}`,
  })
}

/** Of a connection that is open an error of the socket. */
export function smtpLost(error: unknown, step: string): Fault {
  return error instanceof Fault ? error : smtpUnavailable('lost', `${step}: ${describeError(error)}`, error)
}

/** Patience for what is refused with 4xx: greylisting asks for some minutes. RFC 5321 4.5.4.1. */
const retryAfterSeconds = 300

/** The server said no, to everyone or to the message. By its class (4xx or 5xx) it may say otherwise later. */
export function sendRefused(
  what: 'the sender' | 'every recipient' | 'the message',
  { code, enhancedCode }: SmtpReply,
): Fault {
  const isPassing = code < 500
  return new Fault('send_refused', {
    public:
      `The submission server refused ${what}. ${nothingSent} ` +
      (isPassing ? 'It may accept it later.' : 'Repeating the same does not help.'),
    // Never its words: servers repeat the address in them.
    internal: `smtp: ${what}: ${code} ${enhancedCode ?? 'without an enhanced code'}`,
    details: { refused: what, smtp_code: code, enhanced_code: enhancedCode, repeat: isPassing },
    ...(isPassing ? { retryAfterSeconds } : {}),
  })
}

/** From the first octet of the message to the last answer nobody can say what became of it. */
export function perhapsSent(cause: Fault): Fault {
  return new Fault(cause.code === 'timeout' ? 'timeout' : 'provider_unavailable', {
    public:
      'The submission server did not say what it made of the message after it had begun to leave: it may or may not have been sent. Do not repeat it; operation_get looks what became of it.',
    details: { reason: 'lost' },
    internal: cause.internal ?? cause.public,
    cause,
  })
}

/** The message needs what this server does not offer. @param positions places in the envelope, counted from 1. */
export function needsSmtpUtf8(positions: readonly number[]): Fault {
  return new Fault('recipient_invalid', {
    public:
      (positions.length === 0
        ? 'A header of this message holds an address beyond ASCII, '
        : 'An address of this message is beyond ASCII, ') +
      `which the submission server of this inbox does not take (SMTPUTF8). ${nothingSent}`,
    details: { reason: 'smtputf8_missing', ...(positions.length === 0 ? {} : { positions }) },
  })
}

/** The message holds octets beyond ASCII, as somebody else wrote it, and may not be changed. RFC 6152 3. */
export function needsEightBit(): Fault {
  return new Fault('capability_unavailable', {
    public: `This message is not encoded in ASCII, and the submission server of this inbox takes nothing else (8BITMIME). ${nothingSent} Written anew with draft update it can be sent.`,
    details: { reason: 'eight_bit_missing' },
  })
}

export function messageTooLarge(sizeBytes: number, limitBytes: number): Fault {
  return new Fault('message_too_large', {
    public: `This message has ${sizeBytes} octets, and the submission server of this inbox takes ${limitBytes} at most. ${nothingSent} Leave out an attachment.`,
    details: { size_bytes: sizeBytes, limit_bytes: limitBytes },
  })
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return `${code} ${error.message}`
}
