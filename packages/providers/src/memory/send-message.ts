import type { ComposedMessage, SendReceipt, WriteCall } from '@postern/mail'
import { enterVerb } from './faults.ts'
import type { MemorySession } from './session.ts'
import { submitMessage } from './submit-message.ts'

export async function sendMessage(
  session: MemorySession,
  message: ComposedMessage,
  call: WriteCall,
): Promise<SendReceipt> {
  await enterVerb(session, 'sendMessage', call)
  return submitMessage(session, message, call)
}
