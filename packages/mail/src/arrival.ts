import type { FolderId } from './folder.ts'
import type { SearchQuery } from './search-query.ts'

/**
 * How far the arrivals of one folder have been seen. `at` belongs to the adapter that made it: ASCII, at most 80
 * characters, good on every instance and for as long as the folder is there.
 */
export interface FolderMark {
  readonly folderId: FolderId
  readonly at: string
}

/** What arrives behind the marks. A folder without a mark begins with what was received at or after `since`. */
export interface ArrivalQuery {
  readonly query: SearchQuery
  readonly since: Date
  readonly marks: readonly FolderMark[]
  readonly limit: number
}

interface Marked {
  /** How far the folder is seen with this row, and not further. */
  readonly mark: FolderMark
}

/** Rows in order and the marks around them: before the first, and behind the last. */
interface MarkedRows {
  readonly arrivals: readonly Marked[]
  readonly starts: readonly FolderMark[]
  readonly marks: readonly FolderMark[]
}

/** The marks of a page of which only the first `count` rows are kept: whoever goes on from them gets the others. */
export function marksAfter({ arrivals, starts, marks }: MarkedRows, count: number): readonly FolderMark[] {
  const left = new Set(arrivals.slice(count).map(({ mark }) => mark.folderId))
  const startOf = new Map(starts.map((mark) => [mark.folderId, mark]))
  return marks.map((end) => {
    if (!left.has(end.folderId)) return end
    const last = arrivals.slice(0, count).findLast(({ mark }) => mark.folderId === end.folderId)
    return last?.mark ?? startOf.get(end.folderId) ?? end
  })
}
