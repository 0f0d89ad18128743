import { Fault } from '@postern/core'
import type { FolderId, MessageRef, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { Target } from './act-on-messages.ts'
import type { CopyUid } from './copy-uid.ts'
import { locate } from './locate.ts'
import { folderDigest, noIdentity, packLocator, type Place } from './locator.ts'
import type { ImapSession } from './session.ts'

interface Where {
  readonly session: ImapSession
  readonly folderId: FolderId
  readonly call: WriteCall
}

/**
 * How copies of messages are found at the destination: by what COPYUID says, else by looking for their identities
 * there. A message without an answer is missing.
 */
export async function findCopies(
  { session, folderId, call }: Where,
  targets: readonly Target[],
  copied: CopyUid | null,
): Promise<ReadonlyMap<Target, MessageRef>> {
  const found = new Map<Target, MessageRef>()
  for (const target of targets) {
    const uid = copied?.byUid.get(target.seen.uid)
    if (copied !== null && uid !== undefined)
      found.set(target, refOf(target, { folderId, uidValidity: copied.uidValidity, uid }))
  }
  const rest = new Map(
    targets
      .filter((target) => !found.has(target) && target.seen.place.identity !== noIdentity)
      .map((target): [Place, Target] => [target.seen.place, target]),
  )
  if (rest.size === 0) return found
  const spots = await attempt(
    () => locate(session, [...rest.keys()], call, [folderId]),
    unstoppable(call),
    () => true,
  )
  if (spots instanceof Fault) return found
  for (const [place, spot] of spots) {
    const target = rest.get(place)
    if (target !== undefined) found.set(target, refOf(target, spot))
  }
  return found
}

/** What was changed is looked at whoever has left meanwhile. */
function unstoppable(call: WriteCall): WriteCall {
  return { ...call, signal: new AbortController().signal }
}

function refOf(
  { seen }: Target,
  { folderId, uidValidity, uid }: { folderId: FolderId; uidValidity: number; uid: number },
): MessageRef {
  return { locator: packLocator({ ...seen.place, folder: folderDigest(folderId), uidValidity, uid }) }
}
