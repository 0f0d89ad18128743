import {
  countOnce,
  readThreadMember,
  type Call,
  type FolderId,
  type Message,
  type Thread,
  type ThreadMember,
} from '@postern/mail'
import { walkFolders } from '../walk-folders.ts'
import { requireOk, unavailable } from './faults.ts'
import { fetchMessages } from './fetch-messages.ts'
import { chunk } from './number-set.ts'
import type { ImapConnection, OpenMailbox } from './pool.ts'
import { searchNumbers } from './search-numbers.ts'
import { withFolder, type ImapSession } from './session.ts'
import { maxThreadMessages, threadWish } from './thread-search.ts'
import { atom, type Argument } from './wire.ts'

interface Wanted {
  readonly nativeThreadId: string
  /** The message whose conversation it is, wherever it lies; null where only the id is known. */
  readonly seed: Message | null
  readonly folderIds: readonly FolderId[]
}

/**
 * The conversation as the server keeps it, one SEARCH for each folder; null where it keeps none, or knows none of that
 * id. Sources: RFC 8474 6 (THREADID); Gmail's X-GM-THRID.
 * @throws provider_*, timeout.
 */
export async function listNativeThread(
  session: ImapSession,
  { nativeThreadId, seed, folderIds }: Wanted,
  call: Call,
): Promise<Thread | null> {
  const found: Message[] = []
  let isCut = false
  const walk = await walkFolders(folderIds, call, (folderId) =>
    withFolder(session, { folderId, view: 'now' }, call, async (mailbox) => {
      const room = maxThreadMessages - found.length
      const uids = await findUids(mailbox, nativeThreadId)
      if (uids.length > room) isCut = true
      for (const numbers of chunk(uids.slice(0, room), 100)) {
        const rows = await fetchMessages(mailbox, { by: 'uid', numbers }, threadWish, null)
        found.push(...rows.map(({ message }) => message))
      }
    }),
  )
  const isWhole = !isCut && walk.foldersFailed.length === 0
  if (found.length === 0 && isWhole) return null
  if (found.length === 0 && seed === null)
    throw unavailable('lost', 'the folders that answered have no such thread')
  const asked = seed === null ? null : memberOf(seed)
  const others = found.filter(({ ref }) => seed === null || !isSameRef(ref.locator, seed.ref.locator))
  const members = countOnce([...(asked === null ? [] : [asked]), ...others.map(memberOf)], asked)
  return { nativeThreadId, messages: members.map(({ message }) => message), isComplete: isWhole }
}

/** Whose words they are decides nothing here: the server has joined them. */
function memberOf(message: Message): ThreadMember {
  return readThreadMember(message, new Set())
}

function isSameRef(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}

/** Newest first. */
async function findUids(mailbox: OpenMailbox, nativeThreadId: string): Promise<readonly number[]> {
  const key = searchKey(mailbox.connection, nativeThreadId)
  if (key === null || mailbox.exists === 0) return []
  const answer = await mailbox.connection.run('UID SEARCH', key, { collect: ['SEARCH'], isPatient: true })
  return searchNumbers(requireOk(answer, 'UID SEARCH').lines).toSorted((a, b) => b - a)
}

function searchKey({ capabilities }: ImapConnection, id: string): readonly Argument[] | null {
  if (capabilities.has('X-GM-EXT-1') && /^\d{1,20}$/.test(id)) return [atom('X-GM-THRID'), atom(id)]
  if (capabilities.has('OBJECTID') && /^[A-Za-z0-9_-]{1,255}$/.test(id)) return [atom('THREADID'), atom(id)]
  return null
}
