import type { ArrivalPage, ArrivalQuery, Call, FolderId, SearchQuery } from '@postern/mail'
import { mergeArrivals, type FolderArrivals } from '../merge-arrivals.ts'
import { walkFolders } from '../walk-folders.ts'
import { enterVerb } from './faults.ts'
import type { MemoryFolder } from './mailbox.ts'
import { findMatches } from './search-messages.ts'
import type { MemorySession } from './session.ts'
import { toRow } from './to-message.ts'

/** Up to `base`, arrival is told by date: what lay there before anybody looked. */
interface Mark {
  readonly epoch: number
  readonly seen: number
  readonly base: number
  readonly sinceMs: number
  /** The last message seen, and when it was received; empty where there was none. */
  readonly identity: string
  readonly receivedMs: number
}

export async function listArrivals(
  session: MemorySession,
  asked: ArrivalQuery,
  call: Call,
): Promise<ArrivalPage> {
  await enterVerb(session, 'listArrivals', call)
  const walk = await walkFolders(asked.query.folderIds, call, (folderId) =>
    arrivalsOf(session, asked, folderId, call),
  )
  return mergeArrivals(walk, asked)
}

async function arrivalsOf(
  session: MemorySession,
  { query, since, marks, limit }: ArrivalQuery,
  folderId: FolderId,
  call: Call,
): Promise<FolderArrivals> {
  const matches = await findMatches(session, query satisfies SearchQuery, folderId, call)
  const folder = session.mailbox.findFolder(folderId)
  if (folder === undefined) throw new TypeError('a folder that was searched and is not there')
  const given = marks.find((mark) => mark.folderId === folderId)
  const start =
    given === undefined ? firstMark(folder, since.getTime()) : inFolder(readMark(given.at), folder)
  const behind = matches.filter(
    ({ message: { number, receivedAt } }) =>
      number > start.seen && (number > start.base || receivedAt.getTime() >= start.sinceMs),
  )
  const markAt = (seen: number): { folderId: FolderId; at: string } => ({
    folderId,
    at: writeMark(markUpTo(folder, { ...start, seen })),
  })
  const kept = behind.slice(0, limit)
  const hasMore = behind.length > kept.length
  const top = folder.messages.at(-1)?.number ?? 0
  return {
    arrivals: kept.map((placed) => ({
      ...toRow(session, placed, null),
      mark: markAt(placed.message.number),
    })),
    start: { folderId, at: writeMark(start) },
    end: markAt(hasMore ? (kept.at(-1)?.message.number ?? start.seen) : Math.max(top, start.seen)),
    hasMore,
    degraded: [],
  }
}

function firstMark({ epoch, messages }: MemoryFolder, sinceMs: number): Mark {
  return { epoch, seen: 0, base: messages.at(-1)?.number ?? 0, sinceMs, identity: '', receivedMs: 0 }
}

/** Numbers of another epoch say nothing: the last message seen is found by what it is, or else told by its date. */
function inFolder(mark: Mark, folder: MemoryFolder): Mark {
  if (mark.epoch === folder.epoch) return mark
  const { epoch, messages } = folder
  const top = messages.at(-1)?.number ?? 0
  const last = messages.findLast(({ identity }) => identity === mark.identity)
  if (last !== undefined) return { ...mark, epoch, seen: last.number, base: mark.seen < mark.base ? top : 0 }
  const wasEmpty = mark.identity === '' && mark.base === 0
  return {
    ...mark,
    epoch,
    seen: 0,
    base: wasEmpty ? 0 : top,
    sinceMs: Math.max(mark.sinceMs, mark.receivedMs),
  }
}

function markUpTo({ messages }: MemoryFolder, mark: Mark): Mark {
  const last = messages.findLast(({ number }) => number <= mark.seen)
  return last === undefined
    ? mark
    : { ...mark, identity: last.identity, receivedMs: last.receivedAt.getTime() }
}

function writeMark({ epoch, seen, base, sinceMs, identity, receivedMs }: Mark): string {
  return [epoch, seen, base, sinceMs, receivedMs, identity].join('.')
}

function readMark(at: string): Mark {
  const [epoch = 0, seen = 0, base = 0, sinceMs = 0, receivedMs = 0] = at.split('.').map(Number)
  return { epoch, seen, base, sinceMs, receivedMs, identity: at.slice(at.lastIndexOf('.') + 1) }
}
