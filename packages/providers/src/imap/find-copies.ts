import { Fault } from '@postern/core'
import type { FolderId, MessageRef, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { Target } from './act-on-messages.ts'
import { locate } from './locate.ts'
import { folderDigest, noIdentity, packLocator, type Place } from './locator.ts'
import type { ImapSession } from './session.ts'

interface Where {
  readonly session: ImapSession
  readonly folderId: FolderId
  readonly call: WriteCall
}

/**
 * Looks for the copies of messages at the destination, by their identities. One that is not found, or has nothing to
 * be known by, is missing. Takes a lease of its own.
 */
export async function findCopies(
  { session, folderId, call }: Where,
  targets: readonly Target[],
): Promise<ReadonlyMap<Target, MessageRef>> {
  const sought = new Map(
    targets
      .filter(({ seen }) => seen.place.identity !== noIdentity)
      .map((target): [Place, Target] => [target.seen.place, target]),
  )
  // What was changed is looked at whoever has left meanwhile.
  const patient = { ...call, signal: new AbortController().signal }
  const spots = await attempt(
    () => locate(session, [...sought.keys()], patient, [folderId]),
    patient,
    () => true,
  )
  const found = new Map<Target, MessageRef>()
  if (spots instanceof Fault) return found
  for (const [place, spot] of spots) {
    const target = sought.get(place)
    if (target !== undefined) found.set(target, copyRef(target, spot))
  }
  return found
}

/** The ref of a copy whose place is known: COPY and MOVE keep the internal date (RFC 3501 6.4.7). */
export function copyRef(
  { seen }: Target,
  {
    folderId,
    uidValidity,
    uid,
  }: { readonly folderId: FolderId; readonly uidValidity: number; readonly uid: number },
): MessageRef {
  return { locator: packLocator({ ...seen.place, folder: folderDigest(folderId), uidValidity, uid }) }
}
