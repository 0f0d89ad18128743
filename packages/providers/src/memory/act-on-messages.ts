import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { enterVerb, messageNotFound, type Verb } from './faults.ts'
import { packLocator, type PlacedMessage, type StoredMessage } from './mailbox.ts'
import type { MemorySession } from './session.ts'

/**
 * What becomes of one message, `ref` being its present place: its ref from now on, null where it is gone, or nothing
 * because it was so already.
 */
export type Act = (placed: PlacedMessage, ref: MessageRef) => MessageRef | null | 'unchanged'

type Result =
  | { readonly status: 'done'; readonly newRef: MessageRef | null }
  | { readonly status: 'unchanged' }
  | { readonly status: 'failed' | 'unknown'; readonly fault: Fault }

/**
 * Acts on each message where it lies now, once even if it is named twice; one that is not there fails alone.
 * @param what.isFollowed false: a message that is not at its address any more is not looked for.
 */
export async function actOnMessages(
  session: MemorySession,
  {
    verb,
    refs,
    isFollowed = true,
  }: { readonly verb: Verb; readonly refs: readonly MessageRef[]; readonly isFollowed?: boolean },
  call: WriteCall,
  act: Act,
): Promise<readonly ItemOutcome[]> {
  await enterVerb(session, verb, call)
  const { mailbox } = session
  const find = (): readonly Found[] =>
    isFollowed ? findAll(session, refs) : refs.map((ref) => ({ ref, placed: mailbox.findInPlace(ref) }))
  if (find().every(({ placed }) => placed === null))
    return refs.map((ref) => ({ ref, status: 'failed', fault: messageNotFound() }))
  await call.enter('change')
  // All are found before one is changed: a second look for one that is gone by then could find its twin.
  const found = find()
  const results = new Map<StoredMessage, Result>()
  return found.map(({ ref, placed }): ItemOutcome => {
    if (placed === null) return { ref, status: 'failed', fault: messageNotFound() }
    const result = results.get(placed.message) ?? actOnce(session, placed, act)
    results.set(placed.message, result)
    return { ref, ...result }
  })
}

interface Found {
  readonly ref: MessageRef
  readonly placed: PlacedMessage | null
}

/** An older ref of a message that another ref finds in place means that one, and no copy of it elsewhere. */
function findAll({ mailbox }: MemorySession, refs: readonly MessageRef[]): readonly Found[] {
  const inPlace = new Map<string, PlacedMessage>()
  for (const ref of refs) {
    const placed = mailbox.findInPlace(ref)
    if (placed !== null) inPlace.set(placed.message.identity, placed)
  }
  return refs.map((ref) => {
    const here = mailbox.findInPlace(ref)
    const placed = here ?? mailbox.find(ref)
    const twin = placed === null || here !== null ? undefined : inPlace.get(placed.message.identity)
    return { ref, placed: twin ?? placed }
  })
}

function actOnce({ faults }: MemorySession, placed: PlacedMessage, act: Act): Result {
  const ref: MessageRef = { locator: packLocator(placed.folder, placed.message) }
  const ordered = faults.failingMessages?.get(Buffer.from(ref.locator).toString('hex'))
  if (ordered instanceof Fault) return { status: 'unknown', fault: ordered }
  const newRef = act(placed, ref)
  return newRef === 'unchanged' ? { status: 'unchanged' } : { status: 'done', newRef }
}
