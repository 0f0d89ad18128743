import { Fault } from '@postern/core'
import type { FolderId, ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import type { WriteFailure } from './exec-write.ts'
import { messageNotFound } from './faults.ts'
import { findCopies } from './find-copies.ts'
import { fetchMessages, type FetchedMessage, type FetchWish } from './fetch-messages.ts'
import { findFolders } from './find-folders.ts'
import { isSameMessage } from './is-same-message.ts'
import { locate, type Spot } from './locate.ts'
import { unpackLocator, type Place } from './locator.ts'
import { chunk } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { withFolder, type ImapSession } from './session.ts'

/** A message that was found and compared: what lies at `seen.uid` of the open mailbox is the message of `place`. */
export interface Target {
  readonly place: Place
  readonly seen: FetchedMessage
}

/** What became of one target. */
export type Result =
  | { readonly status: 'done'; readonly newRef: MessageRef | null }
  | { readonly status: 'unchanged' }
  | WriteFailure

/** Done, if the copy is where it should be: looked for once the lease is over, or it would wait for itself. */
export interface Unproven {
  readonly status: 'unproven'
  readonly folderId: FolderId
  readonly prove: (copy: MessageRef | null) => Result
}

/**
 * Acts on targets of one folder, which is open for writing; answers for every one of them.
 * What it throws means that it has changed nothing.
 */
export type ActOnTargets = (
  mailbox: OpenMailbox,
  targets: readonly Target[],
) => Promise<ReadonlyMap<Target, Result | Unproven>>

const identityWish: FetchWish = { headers: [], withPreview: false, withStructure: false }

/**
 * Acts on messages where they are now, folder by folder: each is compared with what its id names, by what is fetched
 * under the same lease, or was under the same UIDVALIDITY a moment ago, so that a UID that means another message by now
 * is never touched.
 * @param how.isFollowed false: a message that is not at its address any more is not looked for.
 * @throws what no message can be acted on for: provider_*, timeout, what `act` throws. Nothing was changed then.
 */
export async function actOnMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  call: WriteCall,
  { act, isFollowed = true }: { readonly act: ActOnTargets; readonly isFollowed?: boolean },
): Promise<readonly ItemOutcome[]> {
  const places = placesOf(refs)
  const sought = new Set(places.filter((place) => place !== null))
  const run: Run = { session, call, act, results: new Map(), seen: new Map() }
  await atTheirAddresses(run, sought)
  const missing = isFollowed ? [...sought].filter((place) => !run.results.has(place)) : []
  if (missing.length > 0) await whereTheyWent(run, missing)
  const all = [...run.results.values()]
  const thrown = all.find((result) => 'isThrown' in result)
  if (thrown !== undefined && all.every((result) => 'isThrown' in result)) throw faultOf(thrown)
  return refs.map((ref, index) => {
    const place = places[index] ?? null
    const result = place === null ? undefined : run.results.get(place)
    if (result === undefined) return { ref, status: 'failed', fault: messageNotFound() }
    if (result.status === 'done') return { ref, status: 'done', newRef: result.newRef }
    if (result.status === 'unchanged') return { ref, status: 'unchanged' }
    return { ref, status: result.status, fault: result.fault }
  })
}

/** One place for all refs that are equal: a second one would be gone by its turn, and be followed to a copy. */
function placesOf(refs: readonly MessageRef[]): readonly (Place | null)[] {
  const known = new Map<string, Place | null>()
  return refs.map((ref) => {
    const key = Buffer.from(ref.locator).toString('hex')
    const place = known.get(key) ?? unpackLocator(ref)
    known.set(key, place)
    return place
  })
}

/** Nothing was tried: the folder could not be opened, or the act was refused as a whole. */
interface Thrown extends WriteFailure {
  readonly isThrown: true
}

interface Run {
  readonly session: ImapSession
  readonly call: WriteCall
  readonly act: ActOnTargets
  readonly results: Map<Place, Result | Thrown>
  /** What was acted on, by the place whose result is of it. */
  readonly seen: Map<Place, FetchedMessage>
}

function faultOf(result: Result | Thrown): Fault {
  return 'fault' in result ? result.fault : messageNotFound()
}

async function atTheirAddresses(run: Run, sought: ReadonlySet<Place>): Promise<void> {
  const folders = await findFolders(run.session, new Set([...sought].map(({ folder }) => folder)), run.call)
  for (const [digest, places] of Map.groupBy(sought, ({ folder }) => folder)) {
    const folderId = folders.get(digest)
    if (folderId === undefined) continue
    await actIn(run, folderId, new Map(places.map((place) => [place, { ...place, folderId }])))
  }
}

async function whereTheyWent(run: Run, absent: readonly Place[]): Promise<void> {
  const { session, call, results } = run
  const missing = absent.filter((place) => !shareResult(run, place, twinOf(run, place, 'exact')))
  if (missing.length === 0) return
  const found = await attempt(() => locate(session, missing, call), call, isOfMessages)
  if (found instanceof Fault) {
    for (const place of missing) results.set(place, { status: 'failed', fault: found })
    return
  }
  for (const [folderId, group] of Map.groupBy(found, ([, spot]) => spot.folderId))
    await actIn(run, folderId, new Map(group))
}

/**
 * A message that was acted on and is what a missing place names: `exact`, also received at the same second, or at
 * `any` time. An older id of it leads there; followed on, it would lead to a copy that nobody named.
 */
function twinOf({ seen }: Run, { identity, receivedSeconds }: Place, when: 'exact' | 'any'): Place | null {
  for (const [place, { identities, place: at }] of seen)
    if (identities.includes(identity) && (when === 'any' || at.receivedSeconds === receivedSeconds))
      return place
  return null
}

/** Gives a place the result of its twin; false where it has none. */
function shareResult({ results }: Run, place: Place, twin: Place | null): boolean {
  const result = twin === null ? undefined : results.get(twin)
  if (result !== undefined) results.set(place, result)
  return result !== undefined
}

/** Acts on what is at these spots and is what was sought; what is not stays without a result. */
async function actIn(run: Run, folderId: FolderId, spots: ReadonlyMap<Place, Spot>): Promise<void> {
  // The view of a warm connection may be older than the message: what it does not show is asked for again.
  for (const view of ['any', 'now'] as const) {
    const open = [...spots].filter(([place]) => !run.results.has(place))
    if (open.length === 0) return
    const fault = await attempt(() => actOnce(run, { folderId, view }, open), run.call, isOfMessages)
    if (!(fault instanceof Fault)) continue
    if (fault.code === 'folder_not_found') return
    for (const [place] of open)
      if (!run.results.has(place)) run.results.set(place, { status: 'failed', fault, isThrown: true })
  }
}

async function actOnce(
  run: Run,
  where: { readonly folderId: FolderId; readonly view: 'any' | 'now' },
  open: readonly (readonly [Place, Spot])[],
): Promise<void> {
  const { session, call, act, results } = run
  for (const some of chunk(open)) {
    const unproven = new Map<Target, Unproven>()
    const aliases = new Map<Place, readonly Place[]>()
    await withFolder(session, { ...where, mode: 'write' }, call, async (mailbox) => {
      const here = some.filter(([, spot]) => spot.uidValidity === mailbox.uidValidity)
      const byUid = Map.groupBy(here, ([, { uid }]) => uid)
      if (byUid.size === 0) return
      const uids = [...byUid.keys()]
      const fetched =
        session.seen.take(mailbox, uids) ??
        (await fetchMessages(mailbox, { by: 'uid', numbers: uids }, identityWish, null))
      const targets = fetched.flatMap((seen) => {
        const [place, ...others] = namersOf(run, byUid.get(seen.uid) ?? [], seen)
        if (place === undefined) return []
        aliases.set(place, others)
        return [{ place, seen }]
      })
      if (targets.length === 0) return
      for (const [{ place, seen }, result] of await act(mailbox, targets)) {
        session.spots.forget(place)
        run.seen.set(place, seen)
        if (result.status === 'unproven') unproven.set({ place, seen }, result)
        else results.set(place, result)
      }
    })
    for (const [target, result] of await proveAll({ session, call }, unproven))
      results.set(target.place, result)
    for (const [place, others] of aliases) for (const other of others) shareResult(run, other, place)
  }
}

/** The places that name what was seen at their spot; several, where older ids of it lead there too. */
function namersOf(
  run: Run,
  spots: readonly (readonly [Place, Spot])[],
  seen: FetchedMessage,
): readonly Place[] {
  return spots.flatMap(([place, spot]) => {
    if (!isSameMessage(place, seen)) return []
    const isAtHome = place.uid === spot.uid && place.uidValidity === spot.uidValidity
    const isExact = isAtHome || place.receivedSeconds === seen.place.receivedSeconds
    // Received at another time it may be a copy: not for an id whose message was acted on already.
    return isExact || !shareResult(run, place, twinOf(run, place, 'any')) ? [place] : []
  })
}

async function proveAll(
  { session, call }: Pick<Run, 'session' | 'call'>,
  unproven: ReadonlyMap<Target, Unproven>,
): Promise<ReadonlyMap<Target, Result>> {
  const proven = new Map<Target, Result>()
  for (const [folderId, group] of Map.groupBy(unproven, ([, { folderId: there }]) => there)) {
    const copies = await findCopies(
      { session, folderId, call },
      group.map(([target]) => target),
    )
    for (const [target, { prove }] of group) proven.set(target, prove(copies.get(target) ?? null))
  }
  return proven
}

/** A failure that is told with the messages it concerns; one of the credential concerns the whole call. */
function isOfMessages({ code }: Fault): boolean {
  return code !== 'inbox_reconnect_required'
}
