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
    const copies = lookIn === 'certain_to_change' ? countLike(session, ref) : 1
    const placed = copies > 1 ? session.mailbox.findInPlace(ref) : look(session, ref, lookIn)
    return {
      ref,
      homeId: (place === null ? undefined : epochs.get(place.epoch)) ?? null,
      now: placed === null ? null : toMessage(placed),
      isDoubtful: placed === null && copies > 1,
    }
  })
}

function look({ mailbox }: MemorySession, ref: MessageRef, lookIn: LookIn): PlacedMessage | null {
  if (lookIn === 'address') return mailbox.findInPlace(ref)
  if (typeof lookIn === 'string') return mailbox.find(ref)
  const identity = unpackLocator(ref)?.identity
  for (const folder of mailbox.folders().filter(({ folderId }) => lookIn.includes(folderId))) {
    const message = folder.messages.find((one) => one.identity === identity)
    if (message !== undefined) return { folder, message }
  }
  return null
}

/** Messages that this one may be, by what they are. */
function countLike({ mailbox }: MemorySession, ref: MessageRef): number {
  const identity = unpackLocator(ref)?.identity
  const all = mailbox.folders().flatMap(({ messages }) => messages)
  return all.filter((one) => one.identity === identity).length
}
