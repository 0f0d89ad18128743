import { Fault } from '@postern/core'
import {
  withoutBcc,
  type ComposedMessage,
  type RecipientOutcome,
  type SendReceipt,
  type WriteCall,
} from '@postern/mail'
import type { SmtpReply } from './faults.ts'
import { saveSentCopy } from './save-sent-copy.ts'
import type { MemorySession } from './session.ts'

const accepted: SmtpReply = { smtpCode: 250, enhancedCode: null }

/**
 * Connects, names sender and recipients, gives the message away, and keeps the sender's copy. The steps are those of
 * SMTP (RFC 5321 3.3), with the answers that were ordered.
 * @throws what `call.enter` throws before the message is given away: then nobody has it.
 */
export async function submitMessage(
  session: MemorySession,
  message: ComposedMessage,
  call: WriteCall,
): Promise<SendReceipt> {
  const { connection, refusedRecipients, refusedData, lostAnswer } = session.faults.submission ?? {}
  await call.enter('connect')
  if (connection !== undefined) return { outcome: 'failed', recipients: [], fault: connection }

  await call.enter('envelope')
  const named = message.envelope.to.map((email): RecipientOutcome => {
    const refusal = refusedRecipients?.get(email.toLowerCase())
    return refusal === undefined
      ? { email, status: 'accepted', ...accepted }
      : { email, status: 'rejected', ...refusal }
  })
  if (named.every(({ status }) => status === 'rejected'))
    return { outcome: 'refused', recipients: named, fault: sendRefused('every recipient') }

  await call.enter('data')
  if (refusedData !== undefined) {
    const recipients = settle(named, { status: 'rejected', ...refusedData })
    return { outcome: 'refused', recipients, fault: sendRefused('the message') }
  }
  if (lostAnswer !== 'lost') deliver(session, message, named)
  if (lostAnswer !== undefined) {
    const recipients = settle(named, { status: 'unknown', smtpCode: null, enhancedCode: null })
    return { outcome: 'unknown', recipients, fault: answerLost() }
  }
  const sentCopy = await saveSentCopy(session, message, call)
  return { outcome: 'sent', recipients: named, sentCopy, draft: null }
}

/** The final answer is for all whom the server had accepted until then. */
function settle(
  named: readonly RecipientOutcome[],
  answer: Omit<RecipientOutcome, 'email'>,
): readonly RecipientOutcome[] {
  return named.map((one) => (one.status === 'rejected' ? one : { email: one.email, ...answer }))
}

function deliver(
  { post }: MemorySession,
  { octets }: ComposedMessage,
  recipients: readonly RecipientOutcome[],
): void {
  const raw = withoutBcc(octets)
  for (const { email, status } of recipients)
    if (status === 'accepted') post.find(email)?.append('INBOX', { raw, receivedAt: new Date() })
}

function sendRefused(what: 'every recipient' | 'the message'): Fault {
  return new Fault('send_refused', {
    public: `The mail server refused ${what}. Nothing was sent; recipients says what it answered.`,
  })
}

function answerLost(): Fault {
  return new Fault('provider_unavailable', {
    public:
      'The connection was lost after the message had begun to leave: it may or may not have been sent. Do not repeat it; operation_get looks what became of it.',
    details: { reason: 'lost' },
  })
}
