import type { Call, LookIn, MessageRef, Whereabouts } from '@postern/mail'
import { enterVerb } from './faults.ts'
import { unpackLocator, type PlacedMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'
import { toMessage } from './to-message.ts'

export async function locateMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  lookIn: LookIn,
  call: Call,
): Promise<readonly Whereabouts[]> {
  await enterVerb(session, 'locateMessages', call)
  const epochs = new Map(session.mailbox.folders().map(({ epoch, folderId }) => [epoch, folderId]))
  return refs.map((ref) => {
    const place = unpackLocator(ref)
    const placed = look(session, ref, lookIn)
    return {
      ref,
      homeId: (place === null ? undefined : epochs.get(place.epoch)) ?? null,
      now: placed === null ? null : toMessage(placed),
    }
  })
}

function look({ mailbox }: MemorySession, ref: MessageRef, lookIn: LookIn): PlacedMessage | null {
  if (lookIn === 'address') return mailbox.findInPlace(ref)
  if (lookIn === 'anywhere' || lookIn === 'anywhere_to_change') return mailbox.find(ref)
  const identity = unpackLocator(ref)?.identity
  for (const folder of mailbox.folders().filter(({ folderId }) => lookIn.includes(folderId))) {
    const message = folder.messages.find((one) => one.identity === identity)
    if (message !== undefined) return { folder, message }
  }
  return null
}
