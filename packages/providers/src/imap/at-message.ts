import { Fault } from '@postern/core'
import type { Call, MessageRef } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { messageNotFound } from './faults.ts'
import { findFolders } from './find-folders.ts'
import { locate, type Spot } from './locate.ts'
import { unpackLocator, type Place } from './locator.ts'
import type { OpenMailbox } from './pool.ts'
import { withFolder, type ImapSession } from './session.ts'

/**
 * Acts on one UID of the open mailbox. Null: what lies there is not the message of `place`, or nothing is; `place`
 * is null where this was compared a moment ago.
 */
export type Act<T> = (mailbox: OpenMailbox, uid: number, place: Place | null) => Promise<T | null>

/**
 * Acts on a message where it is now: at its address, else, when it has moved, where it is found again. `act`
 * compares and acts in one command, so that a message in its place costs one round trip.
 * @throws message_not_found, provider_*, timeout.
 */
export async function atMessage<T>(
  session: ImapSession,
  ref: MessageRef,
  call: Call,
  act: Act<T>,
): Promise<{ readonly spot: Spot; readonly value: T }> {
  const place = unpackLocator(ref)
  if (place === null) throw messageNotFound('locator of another adapter')
  for await (const { spot, view, isCompared } of candidates(session, place, call)) {
    const value = await attempt(
      () =>
        withFolder(session, { folderId: spot.folderId, view }, call, async (mailbox) =>
          mailbox.uidValidity === spot.uidValidity ? act(mailbox, spot.uid, isCompared ? null : place) : null,
        ),
      call,
      ({ code }) => code === 'folder_not_found',
    )
    if (value === null || value instanceof Fault) continue
    session.spots.set(place, spot)
    return { spot, value }
  }
  throw messageNotFound('not at its address and not found again')
}

interface Candidate {
  readonly spot: Spot
  readonly view: 'any' | 'now'
  readonly isCompared: boolean
}

/** Where the message may be, the likeliest first; each is only looked for when the ones before were wrong. */
async function* candidates(session: ImapSession, place: Place, call: Call): AsyncGenerator<Candidate> {
  const known = session.spots.get(place)
  if (known !== null) yield { spot: known, view: 'any', isCompared: true }
  const folderId = (await findFolders(session, new Set([place.folder]), call)).get(place.folder)
  if (folderId !== undefined) {
    const spot: Spot = { folderId, uidValidity: place.uidValidity, uid: place.uid }
    // The view of a warm connection may be older than the message.
    yield { spot, view: 'any', isCompared: false }
    yield { spot, view: 'now', isCompared: false }
  }
  const found = (await locate(session, [place], call)).get(place)
  if (found !== undefined) yield { spot: found, view: 'any', isCompared: false }
}
