import {
  marksAfter,
  type Arrival,
  type ArrivalPage,
  type ArrivalQuery,
  type Degraded,
  type FolderMark,
} from '@postern/mail'
import type { Walk } from './walk-folders.ts'

/** What one folder has behind its mark, in the order of arrival. */
export interface FolderArrivals {
  readonly arrivals: readonly Arrival[]
  readonly start: FolderMark
  /** Behind the last arrival and everything that was looked at and is none. */
  readonly end: FolderMark
  readonly hasMore: boolean
  readonly degraded: readonly Degraded[]
}

/** The folders' arrivals as one page, the longest received first; no folder's own order is changed. */
export function mergeArrivals(
  { visited, foldersSearched, foldersFailed }: Walk<FolderArrivals>,
  { limit, marks }: ArrivalQuery,
): ArrivalPage {
  const found = visited.map(({ value }) => value)
  const all = merge(found.map(({ arrivals }) => [...arrivals]))
  const whole = {
    arrivals: all,
    starts: found.map(({ start }) => start),
    marks: found.map(({ end }) => end),
  }
  const searched = new Set(foldersSearched)
  return {
    arrivals: all.slice(0, limit),
    starts: whole.starts,
    marks: [
      ...marksAfter(whole, Math.min(limit, all.length)),
      ...marks.filter(({ folderId }) => !searched.has(folderId)),
    ],
    hasMore: all.length > limit || found.some(({ hasMore }) => hasMore),
    foldersSearched,
    foldersFailed,
    degraded: [...new Set(found.flatMap(({ degraded }) => degraded))],
  }
}

/** Takes the earliest of the first rows each time: a few folders of a few rows. */
function merge(queues: Arrival[][]): Arrival[] {
  const merged: Arrival[] = []
  for (;;) {
    const next = queues
      .filter((queue) => queue.length > 0)
      .reduce<Arrival[] | null>(
        (best, queue) => (best === null || isBefore(queue, best) ? queue : best),
        null,
      )
    const row = next?.shift()
    if (row === undefined) return merged
    merged.push(row)
  }
}

function isBefore([a]: readonly Arrival[], [b]: readonly Arrival[]): boolean {
  return a !== undefined && b !== undefined && a.message.receivedAt < b.message.receivedAt
}
