import { Fault } from '@postern/core'
import {
  describePart,
  findHeader,
  messageHeaders,
  type Call,
  type FolderId,
  type Found,
  type Message,
  type MessageRef,
  type Part,
} from '@postern/mail'
import { attempt } from '../attempt.ts'
import { messageNotFound } from './faults.ts'
import { fetchMessages, type FetchedMessage, type FetchWish } from './fetch-messages.ts'
import { findFolders } from './find-folders.ts'
import { isSameMessage } from './is-same-message.ts'
import { locate, type Spot } from './locate.ts'
import { unpackLocator, type Place } from './locator.ts'
import { chunk } from './number-set.ts'
import type { OpenMode } from './open-folder.ts'
import { parseOriginal } from './parse-original.ts'
import type { OpenMailbox } from './pool.ts'
import { repairNames } from './repair-names.ts'
import { knownFolderName, withFolder, type ImapSession } from './session.ts'

const fullWish: FetchWish = {
  headers: messageHeaders,
  withPreview: false,
  withStructure: true,
  isStrict: true,
}

/** What the texts that come along may have in one answer, and of one message. */
const maxTextOctets = 512 * 1024
const maxOctetsEach = 32 * 1024

type Outcome = FetchedMessage | Fault

/** Messages of one FETCH whose own octets are looked into. */
const maxMended = 5

/**
 * Headers, part tree and the first short text of each message: one FETCH for all that lie in one folder. A message is
 * first looked for at its address and compared; those that are not there are found again by their identity.
 * @param mode `write` for what was written or will be: its folder is open for that.
 */
export async function getMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  call: Call,
  mode: OpenMode = 'read',
): Promise<readonly Found<Message>[]> {
  const places = refs.map((ref) => unpackLocator(ref))
  const sought = new Set(places.filter((place) => place !== null))
  const outcomes = new Map<Place, Outcome>()
  await atTheirAddresses(session, sought, { outcomes, mode, call })
  const missing = [...sought].filter((place) => !outcomes.has(place))
  if (missing.length > 0) await whereTheyWent(session, missing, { outcomes, mode, call })
  return refs.map((ref, index) => {
    const place = places[index] ?? null
    const outcome = (place === null ? undefined : outcomes.get(place)) ?? messageNotFound()
    return outcome instanceof Fault
      ? { ref, isFound: false, fault: outcome }
      : { ref, isFound: true, value: outcome.message }
  })
}

interface Progress {
  readonly outcomes: Map<Place, Outcome>
  readonly mode: OpenMode
  readonly call: Call
}

async function atTheirAddresses(
  session: ImapSession,
  sought: ReadonlySet<Place>,
  progress: Progress,
): Promise<void> {
  const folders = await findFolders(session, new Set([...sought].map(({ folder }) => folder)), progress.call)
  for (const [digest, places] of Map.groupBy(sought, ({ folder }) => folder)) {
    const folderId = folders.get(digest)
    if (folderId === undefined) continue
    const spots = new Map<Place, Spot>(places.map((place) => [place, { ...place, folderId }]))
    await fetchAt(session, { folderId, spots }, progress)
  }
}

async function whereTheyWent(
  session: ImapSession,
  missing: readonly Place[],
  progress: Progress,
): Promise<void> {
  const found = await attempt(() => locate(session, missing, progress.call), progress.call, concernsItems)
  if (found instanceof Fault) {
    for (const place of missing) progress.outcomes.set(place, found)
    return
  }
  for (const [folderId, group] of Map.groupBy(found, ([, spot]) => spot.folderId)) {
    await fetchAt(session, { folderId, spots: new Map(group) }, progress)
  }
}

/** Fetches what is at these spots and is the message sought; what is not stays without an outcome. */
async function fetchAt(
  session: ImapSession,
  { folderId, spots }: { folderId: FolderId; spots: ReadonlyMap<Place, Spot> },
  { outcomes, mode, call }: Progress,
): Promise<void> {
  // The view of a warm connection may be older than the message: what it does not show is asked for again.
  for (const view of ['any', 'now'] as const) {
    const open = new Map([...spots].filter(([place]) => !outcomes.has(place)))
    if (open.size === 0) return
    const fault = await attempt(
      () => fetchOnce(session, { folderId, view, spots: open }, { outcomes, mode, call }),
      call,
      concernsItems,
    )
    if (!(fault instanceof Fault)) continue
    if (fault.code === 'folder_not_found') return
    for (const place of open.keys()) if (!outcomes.has(place)) outcomes.set(place, fault)
  }
}

async function fetchOnce(
  session: ImapSession,
  { folderId, view, spots }: { folderId: FolderId; view: 'any' | 'now'; spots: ReadonlyMap<Place, Spot> },
  { outcomes, mode, call }: Progress,
): Promise<void> {
  const name = knownFolderName(session, folderId)
  for (const some of chunk([...spots], 50)) {
    const read = (wish: FetchWish): Promise<readonly FetchedMessage[]> =>
      withFolder(session, { folderId, view, mode }, call, async (mailbox) => {
        const uids = some
          .filter(([, spot]) => spot.uidValidity === mailbox.uidValidity)
          .map(([, spot]) => spot.uid)
        if (uids.length === 0) return []
        return withTrees(mailbox, await fetchMessages(mailbox, { by: 'uid', numbers: uids }, wish, name))
      })
    const textOctets = Math.min(maxOctetsEach, Math.floor(maxTextOctets / some.length))
    const whole = await attempt(
      () => read({ ...fullWish, textOctets }),
      call,
      ({ code }) => code === 'provider_error',
    )
    if (whole instanceof Fault && some.length > 1) {
      // One of them breaks the answer of all: each for itself.
      for (const one of some) {
        await fetchOnce(session, { folderId, view, spots: new Map([one]) }, { outcomes, mode, call })
      }
      continue
    }
    // A structure that cannot be read must not hide the message: once more, without it.
    const fetched = whole instanceof Fault ? await read({ ...fullWish, withStructure: false }) : whole
    for (const [place, spot] of some) {
      const message = fetched.find(({ uid }) => uid === spot.uid)
      if (message === undefined || !isSameMessage(place, message)) continue
      outcomes.set(place, message)
      session.spots.set(place, spot)
    }
  }
}

/** What a server describes badly is read from the messages themselves; the first few, as each costs a round trip. */
async function withTrees(
  mailbox: OpenMailbox,
  messages: readonly FetchedMessage[],
): Promise<readonly FetchedMessage[]> {
  const complete: FetchedMessage[] = []
  let left = maxMended
  for (const fetched of messages) {
    const tree = left > 0 ? await mend(mailbox, fetched) : fetched.message.tree
    if (tree !== fetched.message.tree) left -= 1
    complete.push({ ...fetched, message: { ...fetched.message, tree } })
  }
  return complete
}

async function mend(mailbox: OpenMailbox, { message, uid }: FetchedMessage): Promise<Part | null> {
  const { tree } = message
  if (tree === null || isLying(message, tree)) return (await parseOriginal(mailbox, uid)) ?? tree
  return repairNames(mailbox, uid, tree)
}

/**
 * Whether a structure contradicts the header it was made from: Courier takes mail without MIME-Version for plain text,
 * others give a multipart no parts.
 */
function isLying({ headers }: Message, tree: Part): boolean {
  const declared =
    findHeader(headers, 'Content-Type') === null ? tree.type : describePart(headers, tree.type, null).type
  const isHollow = tree.type.startsWith('multipart/') && tree.children.length === 0
  return isHollow || declared !== tree.type
}

/** A failure that is told with the messages it concerns; one of the credential concerns the whole call. */
function concernsItems({ code }: Fault): boolean {
  return code !== 'inbox_reconnect_required'
}
