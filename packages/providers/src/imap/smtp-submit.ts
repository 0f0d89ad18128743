import { Fault, remainingMs } from '@postern/core'
import {
  withoutBcc,
  type ComposedMessage,
  type RecipientOutcome,
  type SendReceipt,
  type WriteCall,
} from '@postern/mail'
import { attempt } from '../attempt.ts'
import { smtpData } from './smtp-data.ts'
import type { SmtpSession } from './smtp-dial.ts'
import { notSmtp, perhapsSent, sendRefused, smtpTooLate } from './smtp-faults.ts'
import { smtpParameters } from './smtp-parameters.ts'
import type { SmtpReply } from './smtp-reply.ts'

/** How a submission ended, before anything is done about copies. */
export type Submission =
  | { readonly outcome: 'sent'; readonly recipients: readonly RecipientOutcome[] }
  | Exclude<SendReceipt, { readonly outcome: 'sent' }>

/** With less time than this for an answer it is better not to begin: what is not answered is `unknown` for ever. */
const leastAnswerMs = 2_000

/**
 * Gives a message to a server that waits for it: sender, recipients, octets without Bcc. A recipient that is refused
 * does not keep the message from the others. The session is over when this returns.
 * @throws what `call.enter` throws: then nothing was sent.
 * Source: RFC 5321 3.3.
 */
export async function smtpSubmit(
  session: SmtpSession,
  message: ComposedMessage,
  call: WriteCall,
): Promise<Submission> {
  let isDone = false
  try {
    // The signal stops nothing that has begun.
    const ended = await submit(session, message, { ...call, signal: new AbortController().signal })
    isDone = ended.outcome === 'sent' || ended.outcome === 'refused'
    return ended
  } finally {
    // A message that was begun ends with its last dot and with nothing else: a cut connection finishes none.
    if (isDone) session.connection.leave()
    else session.connection.cut()
  }
}

async function submit(session: SmtpSession, message: ComposedMessage, call: WriteCall): Promise<Submission> {
  const { connection } = session
  const octets = withoutBcc(message.octets)
  const parameters = await orFault(async () => smtpParameters(session.extensions, message, octets), call)
  if (parameters instanceof Fault) return failed(parameters)

  await call.enter('envelope')
  const named = await orFault(() => nameEveryone(session, message, parameters), call)
  if (named instanceof Fault) return failed(named)
  if ('outcome' in named) return named
  if (remainingMs(call.deadline) < leastAnswerMs) return failed(smtpTooLate('no time left for an answer'))

  await call.enter('data')
  if (connection.failure !== null) return failed(connection.failure)
  if (connection.hasReply) return failed(notSmtp('DATA: an answer that was not asked for'))
  const answer = await orFault(() => transmit(session, octets), call)
  return answer instanceof Fault ? unknown(named, answer) : conclude(named, answer)
}

/**
 * Sender and recipients, up to the point where the server waits for the message (354), or what it refused. A server that
 * takes commands in one go (RFC 2920) gets them so: over a long way that saves a round trip for each of them.
 */
async function nameEveryone(
  { connection, extensions, timeouts: { envelopeMs } }: SmtpSession,
  { envelope }: ComposedMessage,
  parameters: string,
): Promise<readonly RecipientOutcome[] | Submission> {
  const asked = envelope.to.map((email): RecipientOutcome => ({ email, ...unanswered }))
  const sender = `MAIL FROM:<${envelope.from}>${parameters}`
  const recipient = (email: string): string => `RCPT TO:<${email}>`
  const isInOneGo = extensions.has('PIPELINING')
  if (isInOneGo) connection.say('MAIL', [sender, ...envelope.to.map(recipient), 'DATA'])
  const answerTo = (step: string, line: string): Promise<SmtpReply> =>
    isInOneGo ? connection.read(step, envelopeMs) : connection.ask(step, line, envelopeMs)
  const mail = await answerTo('MAIL', sender)
  if (!isPositive(mail, 'MAIL')) return refused(asked, 'the sender', mail)

  const named: RecipientOutcome[] = []
  const refusals: SmtpReply[] = []
  for (const email of envelope.to) {
    const reply = await answerTo('RCPT', recipient(email))
    const isTaken = isPositive(reply, 'RCPT')
    named.push({ email, status: isTaken ? 'accepted' : 'rejected', ...codesOf(reply) })
    if (!isTaken) refusals.push(reply)
    // RFC 5321 4.2.2: it is closing, whatever it was asked.
    if (reply.code === 421) return refused(asked, 'every recipient', reply)
  }
  // Where one may be accepted later, so may the message.
  const refusal = refusals.find(({ code }) => code < 500) ?? refusals[0]
  if (refusal !== undefined && refusals.length === named.length) {
    // A server may wait all the same for what was asked with the recipients: a message to nobody (RFC 2920 3.1).
    if (isInOneGo) connection.cut()
    return { outcome: 'refused', recipients: named, fault: sendRefused('every recipient', refusal) }
  }

  const data = await answerTo('DATA', 'DATA')
  if (data.code === 354) return named
  // Whoever says yes to a message that it has not seen says nothing that can be relied on.
  if (data.code < 400) throw notSmtp(`DATA: ${data.code}`)
  return refused(named, 'the message', data)
}

/** The answer to a message, and whether it had all of it by then. */
interface Answer {
  readonly reply: SmtpReply
  readonly isWhole: boolean
}

async function transmit({ connection, timeouts }: SmtpSession, octets: Uint8Array): Promise<Answer> {
  const answer = (): Promise<SmtpReply> => connection.read('answer to the message', Infinity)
  for (const piece of smtpData(octets)) {
    if (connection.hasReply) {
      // Before the last dot there is no message: what is cut off now is not sent.
      connection.cut()
      return { reply: await answer(), isWhole: false }
    }
    await connection.write(piece, 'message', timeouts.dataMs)
  }
  return { reply: await answer(), isWhole: true }
}

/** The final answer is for all who were accepted until then. */
function conclude(named: readonly RecipientOutcome[], { reply, isWhole }: Answer): Submission {
  if (reply.code >= 400) return refused(named, 'the message', reply)
  if (reply.code < 300 && isWhole) return { outcome: 'sent', recipients: named }
  return unknown(named, notSmtp(`answer to the message: ${reply.code}${isWhole ? '' : ' before its end'}`))
}

function failed(fault: Fault): Submission {
  return { outcome: 'failed', recipients: [], fault }
}

function refused(
  named: readonly RecipientOutcome[],
  what: Parameters<typeof sendRefused>[0],
  reply: SmtpReply,
): Submission {
  const recipients = forAll(named, { status: 'rejected', ...codesOf(reply) })
  return { outcome: 'refused', recipients, fault: sendRefused(what, reply) }
}

function unknown(named: readonly RecipientOutcome[], cause: Fault): Submission {
  return { outcome: 'unknown', recipients: forAll(named, unanswered), fault: perhapsSent(cause) }
}

const unanswered = { status: 'unknown', smtpCode: null, enhancedCode: null } as const

/** The same for every recipient that was not refused for itself. */
function forAll(
  named: readonly RecipientOutcome[],
  answer: Omit<RecipientOutcome, 'email'>,
): readonly RecipientOutcome[] {
  return named.map((one) => (one.status === 'rejected' ? one : { email: one.email, ...answer }))
}

function codesOf({ code, enhancedCode }: SmtpReply): Pick<RecipientOutcome, 'smtpCode' | 'enhancedCode'> {
  return { smtpCode: code, enhancedCode }
}

/** @throws provider_error for a reply that is neither yes nor no. */
function isPositive({ code }: SmtpReply, command: string): boolean {
  if (code >= 300 && code < 400) throw notSmtp(`${command}: ${code}`)
  return code < 400
}

function orFault<T>(work: () => Promise<T>, call: WriteCall): Promise<T | Fault> {
  return attempt(work, call, () => true)
}
