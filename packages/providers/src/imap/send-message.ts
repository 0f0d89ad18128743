import type { ComposedMessage, SendReceipt, WriteCall } from '@postern/mail'
import { saveSentCopy } from './save-sent-copy.ts'
import { sendBySmtp } from './send-by-smtp.ts'
import type { ImapSession } from './session.ts'

/**
 * Submits a message, and stores the sender's copy of what was accepted.
 * @throws capability_unavailable (no submission server is set for this inbox), recipient_invalid, what `call.enter`
 * throws; then nothing was sent.
 */
export async function sendMessage(
  session: ImapSession,
  message: ComposedMessage,
  call: WriteCall,
): Promise<SendReceipt> {
  const ended = await sendBySmtp(session, message, call)
  if (ended.outcome !== 'sent') return ended
  return { ...ended, sentCopy: await saveSentCopy(session, message, call), draft: null }
}
