import { Fault } from '@postern/core'
import type { Call, FolderId, LookIn, MessageRef, Whereabouts } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { fetchMessages, type FetchedMessage } from './fetch-messages.ts'
import { findFolders } from './find-folders.ts'
import { isSameMessage } from './is-same-message.ts'
import { identityWish, locate, locateForCertain, type Certainties, type Spot } from './locate.ts'
import { packLocator, unpackLocator, type Place } from './locator.ts'
import { chunk } from './number-set.ts'
import type { OpenMode } from './open-folder.ts'
import { withFolder, type ImapSession } from './session.ts'

/**
 * Where messages lie and how they are marked: at their addresses first, one FETCH for each folder, then wherever else
 * they may be looked for. Nothing of a message but its identity and flags is read.
 */
export async function locateMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  lookIn: LookIn,
  call: Call,
): Promise<readonly Whereabouts[]> {
  const places = refs.map((ref) => unpackLocator(ref))
  const sought = new Set(places.filter((place) => place !== null))
  const folders = await findFolders(session, new Set([...sought].map(({ folder }) => folder)), call)
  const found = new Map<Place, FetchedMessage>()
  const isForChange = lookIn === 'anywhere_to_change' || lookIn === 'certain_to_change'
  const mode = isForChange ? 'write' : 'read'
  const progress: Progress = { found, mode, call }
  if (typeof lookIn === 'string') {
    const spots = new Map(
      [...sought].flatMap((place): [Place, Spot][] => {
        const folderId = folders.get(place.folder)
        return folderId === undefined ? [] : [[place, { ...place, folderId }]]
      }),
    )
    await fetchSpots(session, spots, progress)
  }
  const missing = [...sought].filter((place) => !found.has(place))
  const gone = await seek(session, missing, lookIn, call)
  await fetchSpots(session, gone.found, progress)
  return refs.map((ref, index) => {
    const place = places[index] ?? null
    const seen = place === null ? undefined : found.get(place)
    return {
      ref,
      homeId: (place === null ? undefined : folders.get(place.folder)) ?? null,
      now: seen === undefined ? null : { ...seen.message, ref: { locator: packLocator(seen.place) } },
      isDoubtful: place !== null && gone.doubtful.has(place),
    }
  })
}

/** Looks for what is not at its address. */
async function seek(
  session: ImapSession,
  missing: readonly Place[],
  lookIn: LookIn,
  call: Call,
): Promise<Certainties> {
  const doubtful = new Set<Place>()
  if (lookIn === 'address' || missing.length === 0) return { found: new Map(), doubtful }
  if (lookIn === 'certain_to_change') return locateForCertain(session, missing, call)
  const among = typeof lookIn === 'string' ? undefined : lookIn
  return { found: await locate(session, missing, call, among), doubtful }
}

interface Progress {
  readonly found: Map<Place, FetchedMessage>
  readonly mode: OpenMode
  readonly call: Call
}

async function fetchSpots(
  session: ImapSession,
  spots: ReadonlyMap<Place, Spot>,
  progress: Progress,
): Promise<void> {
  for (const [folderId, group] of Map.groupBy(spots, ([, spot]) => spot.folderId)) {
    // The view of a warm connection may be older than the message: what it does not show is asked for again.
    for (const view of ['any', 'now'] as const) {
      const open = group.filter(([place]) => !progress.found.has(place))
      const fault = await attempt(
        () => fetchOnce(session, { folderId, view, open }, progress),
        progress.call,
        ({ code }) => code === 'folder_not_found',
      )
      if (fault instanceof Fault) break
    }
  }
}

async function fetchOnce(
  session: ImapSession,
  {
    folderId,
    view,
    open,
  }: {
    readonly folderId: FolderId
    readonly view: 'any' | 'now'
    readonly open: readonly (readonly [Place, Spot])[]
  },
  { found, mode, call }: Progress,
): Promise<void> {
  for (const some of chunk(open)) {
    await withFolder(session, { folderId, view, mode }, call, async (mailbox) => {
      const here = some.filter(([, spot]) => spot.uidValidity === mailbox.uidValidity)
      if (here.length === 0) return
      const set = { by: 'uid', numbers: here.map(([, { uid }]) => uid) } as const
      const fetched = await fetchMessages(mailbox, set, identityWish, null)
      if (mode === 'write') session.seen.remember(mailbox, fetched)
      const byUid = new Map(fetched.map((seen) => [seen.uid, seen]))
      for (const [place, { uid }] of here) {
        const seen = byUid.get(uid)
        if (seen !== undefined && isSameMessage(place, seen)) found.set(place, seen)
      }
    })
  }
}
