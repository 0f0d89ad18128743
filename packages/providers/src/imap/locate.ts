import { Fault, remainingMs } from '@postern/core'
import { defaultSearchFolders, type Call, type FolderId } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { dayAtom } from './day-atom.ts'
import { requireOk } from './faults.ts'
import { fetchMessages, type FetchedMessage, type FetchWish } from './fetch-messages.ts'
import { listFolders } from './list-folders.ts'
import { noIdentity, type Place } from './locator.ts'
import { chunk } from './number-set.ts'
import type { OpenMailbox } from './pool.ts'
import { searchNumbers } from './search-numbers.ts'
import { withFolder, type ImapSession } from './session.ts'
import { atom, type Argument } from './wire.ts'

/** Where a message is now. */
export interface Spot {
  readonly folderId: FolderId
  readonly uidValidity: number
  readonly uid: number
}

/** Folders that are looked through, and messages of one folder that are compared, newest first. */
const maxFolders = 500
const maxCandidates = 2_000
/** Left of the call for what is to be done with the messages that were found. */
const reserveMs = 2_000

/** What tells which message it is, with its flags. */
export const identityWish: FetchWish = { headers: [], withPreview: false, withStructure: false }

/**
 * Finds messages again that are not at their addresses: folder by folder, the days around the internal date
 * (which COPY and MOVE keep) are searched and the identities compared. Bounded by folders, candidates and the
 * time of the call; what is not found within that is missing from the answer.
 * @param among folders to look through; all of them where it is left out.
 * @throws inbox_reconnect_required, `signal.reason`; a folder's failure, when it leaves a message unfound.
 */
export async function locate(
  session: ImapSession,
  places: readonly Place[],
  call: Call,
  among?: readonly FolderId[],
): Promise<ReadonlyMap<Place, Spot>> {
  const search = new Search(places, { isThorough: false })
  const failure = await walk(session, search, call, among)
  const found = search.result()
  if (failure !== null && found.size < search.count) throw failure
  return found
}

/** What is certain of messages that are not at their addresses. */
export interface Certainties {
  readonly found: ReadonlyMap<Place, Spot>
  /** Not found, though others like them are there, or not everything was looked through. */
  readonly doubtful: ReadonlySet<Place>
}

/**
 * Finds only what must be the message: the whole mailbox was looked through, and of all messages one alone has its
 * identity and internal date. Of several nobody can tell which one moved and which are copies.
 * @throws inbox_reconnect_required, `signal.reason`; a folder's failure.
 */
export async function locateForCertain(
  session: ImapSession,
  places: readonly Place[],
  call: Call,
): Promise<Certainties> {
  const search = new Search(places, { isThorough: true })
  const failure = await walk(session, search, call)
  if (failure !== null) throw failure
  return search.certainties()
}

/** Looks folder by folder until the search is done. @returns the first failure of a folder. */
async function walk(
  session: ImapSession,
  search: Search,
  call: Call,
  among?: readonly FolderId[],
): Promise<Fault | null> {
  if (search.isDone) return null
  const soon: Call = { ...call, deadline: new Date(call.deadline.getTime() - reserveMs) }
  let failure: Fault | null = null
  const folders = among ?? (await foldersToWalk(session, soon))
  if (folders.length > maxFolders) search.cut()
  for (const folderId of folders.slice(0, maxFolders)) {
    if (search.isDone) break
    if (remainingMs(soon.deadline) === 0) {
      search.cut()
      break
    }
    const fault = await attempt(
      () => withFolder(session, { folderId, view: 'now' }, soon, (mailbox) => lookInto(mailbox, search)),
      call,
      ({ code }) => code !== 'inbox_reconnect_required',
    )
    const isMissed = fault instanceof Fault && fault.code !== 'folder_not_found' && fault.code !== 'timeout'
    if (isMissed) failure ??= fault
    if (fault instanceof Fault && fault.code === 'timeout') search.cut()
  }
  return failure
}

async function foldersToWalk(session: ImapSession, call: Call): Promise<readonly FolderId[]> {
  const folders = await listFolders(session, 'known', call)
  return defaultSearchFolders(folders, { includeSpamTrash: true, isByFolder: false })
}

/** The places still sought, and for each the best that was seen. */
class Search {
  readonly count: number
  readonly #sought: Set<Place>
  readonly #exact = new Map<Place, Spot>()
  readonly #likely = new Map<Place, Spot>()
  readonly #several = new Set<Place>()
  readonly #isThorough: boolean
  #isCut = false

  /** @param options.isThorough goes on behind the first that fits, to learn whether it is the only one. */
  constructor(places: readonly Place[], { isThorough }: { readonly isThorough: boolean }) {
    this.#sought = new Set(places.filter(({ identity }) => identity !== noIdentity))
    this.#isThorough = isThorough
    this.count = this.#sought.size
  }

  get isDone(): boolean {
    return this.#sought.size === 0
  }

  get sought(): readonly Place[] {
    return [...this.#sought]
  }

  /** The same identity with the same internal date is the message; with another date it may be a copy of it. */
  offer(folderId: FolderId, { place: seen, identities }: FetchedMessage): void {
    const spot: Spot = { folderId, uidValidity: seen.uidValidity, uid: seen.uid }
    for (const place of this.#sought) {
      if (!identities.includes(place.identity)) continue
      if (place.receivedSeconds !== seen.receivedSeconds) {
        if (!this.#likely.has(place)) this.#likely.set(place, spot)
      } else {
        if (this.#exact.has(place)) this.#several.add(place)
        this.#exact.set(place, spot)
        if (!this.#isThorough) this.#sought.delete(place)
      }
    }
  }

  /** Not everything was looked at. */
  cut(): void {
    this.#isCut = true
  }

  certainties(): Certainties {
    const isCertain = (place: Place): boolean => !this.#isCut && !this.#several.has(place)
    const found = new Map([...this.#exact].filter(([place]) => isCertain(place)))
    const seen = this.#isCut ? this.#sought : new Set([...this.#likely.keys(), ...this.#exact.keys()])
    return { found, doubtful: new Set([...seen].filter((place) => !found.has(place))) }
  }

  result(): ReadonlyMap<Place, Spot> {
    return new Map([...this.#likely, ...this.#exact])
  }
}

async function lookInto(mailbox: OpenMailbox, search: Search): Promise<void> {
  if (mailbox.exists === 0) return
  const { connection, folderId } = mailbox
  const answer = await connection.run('UID SEARCH', dayWindows(search.sought), {
    collect: ['SEARCH'],
    isPatient: true,
  })
  const uids = [...searchNumbers(requireOk(answer, 'UID SEARCH').lines)].sort((a, b) => b - a)
  if (uids.length > maxCandidates) search.cut()
  for (const some of chunk(uids.slice(0, maxCandidates))) {
    if (search.isDone) return
    const set = { by: 'uid', numbers: some } as const
    for (const seen of await fetchMessages(mailbox, set, identityWish, null)) search.offer(folderId, seen)
  }
}

const dayMs = 86_400_000

/**
 * SEARCH keys for the days around each internal date. RFC 3501 6.4.4: SINCE and BEFORE disregard time and zone,
 * so a day is added on either side.
 */
function dayWindows(places: readonly Place[]): readonly Argument[] {
  const days = new Set(places.map(({ receivedSeconds }) => Math.floor((receivedSeconds * 1_000) / dayMs)))
  const windows: [first: number, end: number][] = []
  for (const day of [...days].sort((a, b) => a - b)) {
    const last = windows.at(-1)
    if (last !== undefined && day - 1 <= last[1]) last[1] = day + 2
    else windows.push([day - 1, day + 2])
  }
  const keys = windows.map(([first, end]) => [atom('SINCE'), dayOf(first), atom('BEFORE'), dayOf(end)])
  return keys.slice(1).reduce<readonly Argument[]>((all, key) => [atom('OR'), all, key], keys[0] ?? [])
}

function dayOf(day: number): Argument {
  return dayAtom(new Date(day * dayMs))
}
