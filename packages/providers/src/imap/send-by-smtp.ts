import { Fault, remainingMs } from '@postern/core'
import type { ComposedMessage, WriteCall } from '@postern/mail'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt } from '../attempt.ts'
import type { ImapSession } from './session.ts'
import type { SmtpAccount } from './smtp-account.ts'
import { smtpDial, type SmtpOptions, type SmtpSession } from './smtp-dial.ts'
import { smtpSubmit, type Submission } from './smtp-submit.ts'

/** How this mailbox sends. */
export interface SmtpSubmission {
  readonly account: SmtpAccount
  readonly options: SmtpOptions
  /** The service stores a copy of what is submitted by itself: a second one would be a duplicate. */
  readonly savesSentCopy: boolean
}

/** Milliseconds before a connection is tried again, and again: nothing has been said of the message by then. */
const pausesMs = [200, 1_000] as const
/** Troubles that pass within a second. A refused login is none of them: trying again is how accounts get locked. */
const passing: ReadonlySet<unknown> = new Set(['unreachable', 'lost'])

/**
 * Connects to the submission server, again at most twice, and gives it the message, once.
 * @throws capability_unavailable, recipient_invalid, `signal.reason`, what `call.enter` throws; then nothing was sent.
 */
export async function sendBySmtp(
  { submission }: ImapSession,
  message: ComposedMessage,
  call: WriteCall,
): Promise<Submission> {
  if (submission === undefined || submission === null) throw noSubmission()
  requireEnvelope(message)
  await call.enter('connect')
  const smtp = await connect(submission, call)
  return smtp instanceof Fault
    ? { outcome: 'failed', recipients: [], fault: smtp }
    : smtpSubmit(smtp, message, call)
}

async function connect({ account, options }: SmtpSubmission, call: WriteCall): Promise<SmtpSession | Fault> {
  const dial = (): Promise<SmtpSession | Fault> =>
    attempt(
      () => smtpDial(account, options, call),
      call,
      () => true,
    )
  let last = await dial()
  for (const pauseMs of pausesMs) {
    const isHopeful = last instanceof Fault && passing.has(last.details['reason'])
    if (!isHopeful || remainingMs(call.deadline) < 2 * pauseMs) return last
    await sleep(pauseMs)
    last = await dial()
  }
  return last
}

/** An address ends where its bracket closes: one that could close it earlier, or end the line, names somebody else. */
function requireEnvelope({ envelope }: ComposedMessage): void {
  const bad = [envelope.from, ...envelope.to].findIndex(
    (address) => !/^[^\0-\x1f\x7f<>]{1,320}$/.test(address),
  )
  if (bad === -1 && envelope.to.length > 0) return
  throw new Fault('recipient_invalid', {
    public:
      'This message is addressed to nobody, or to an address that cannot go over the wire. Nothing was sent.',
    details: bad === -1 ? {} : { position: bad },
  })
}

function noSubmission(): Fault {
  return new Fault('capability_unavailable', {
    public:
      'No submission server is set for this inbox, so it can read and not send. Nothing was sent. Its owner can connect it again with one (--smtp-host).',
    details: { reason: 'no_submission_server' },
  })
}
