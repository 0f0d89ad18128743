import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { enterVerb, messageNotFound, type Verb } from './faults.ts'
import type { PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

/** What becomes of one message: its ref from now on, null where it is gone, or nothing because it was so already. */
export type Act = (placed: PlacedMessage, ref: MessageRef) => MessageRef | null | 'unchanged'

/** Acts on each message where it lies now; one that is not there fails alone. */
export async function actOnMessages(
  session: MemorySession,
  { verb, refs }: { readonly verb: Verb; readonly refs: readonly MessageRef[] },
  call: WriteCall,
  act: Act,
): Promise<readonly ItemOutcome[]> {
  await enterVerb(session, verb, call)
  if (refs.every((ref) => session.mailbox.find(ref) === null))
    return refs.map((ref) => ({ ref, status: 'failed', fault: messageNotFound() }))
  await call.enter('change')
  return refs.map((ref): ItemOutcome => {
    const ordered = session.faults.failingMessages?.get(Buffer.from(ref.locator).toString('hex'))
    const placed = session.mailbox.find(ref)
    if (ordered instanceof Fault) return { ref, status: 'unknown', fault: ordered }
    if (placed === null) return { ref, status: 'failed', fault: messageNotFound() }
    const newRef = act(placed, ref)
    return newRef === 'unchanged' ? { ref, status: 'unchanged' } : { ref, status: 'done', newRef }
  })
}
