import type { Call, Found, Message, MessageRef } from '@postern/mail'
import { enterVerb, messageNotFound } from './faults.ts'
import type { MemorySession } from './session.ts'
import { toMessage } from './to-message.ts'

export async function getMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  call: Call,
): Promise<readonly Found<Message>[]> {
  await enterVerb(session, 'getMessages', call)
  return refs.map((ref): Found<Message> => {
    const placed = session.mailbox.find(ref)
    return placed === null
      ? { ref, isFound: false, fault: messageNotFound() }
      : { ref, isFound: true, value: toMessage(placed) }
  })
}
