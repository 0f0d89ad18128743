import { Fault, remainingMs, timeoutFault } from '@postern/core'
import type { Call, FolderFailure, FolderId } from '@postern/mail'
import { attempt } from './attempt.ts'

export interface Walk<T> {
  /** What each folder that answered gave, in the order of the walk. */
  readonly visited: readonly { readonly folderId: FolderId; readonly value: T }[]
  readonly foldersSearched: readonly FolderId[]
  readonly foldersFailed: readonly FolderFailure[]
}

/** After one of these no folder of the inbox can be read. */
const final: ReadonlySet<string> = new Set(['inbox_reconnect_required', 'inbox_disabled'])

/**
 * Visits folders one after the other. One that fails is reported and the walk goes on; when the time of the call
 * has passed, the one being visited and all behind it are `not_reached`. A mailbox that was out of reach twice in
 * a row is not tried again: each attempt would cost the time of a dial.
 * @throws `signal.reason`; the first failure when no folder answered.
 */
export async function walkFolders<T>(
  folderIds: readonly FolderId[],
  call: Call,
  visit: (folderId: FolderId) => Promise<T>,
): Promise<Walk<T>> {
  const visited: { folderId: FolderId; value: T }[] = []
  const foldersFailed: FolderFailure[] = []
  let first: Fault | null = null
  let outOfReach: Fault[] = []
  for (const folderId of folderIds) {
    call.signal.throwIfAborted()
    const known = isOver(call) ? timeoutFault() : outOfReach[1]
    const value =
      known ??
      (await attempt(
        () => visit(folderId),
        call,
        ({ code }) => !final.has(code),
      ))
    if (value instanceof Fault) {
      first ??= value
      outOfReach = value.code === 'provider_unavailable' ? [...outOfReach, value] : []
      foldersFailed.push({ folderId, code: isOver(call) ? 'not_reached' : value.code })
    } else {
      outOfReach = []
      visited.push({ folderId, value })
    }
  }
  if (visited.length === 0 && first !== null) throw first
  return { visited, foldersSearched: visited.map(({ folderId }) => folderId), foldersFailed }
}

// A timer may fire a little before the clock says so.
function isOver({ deadline }: Call): boolean {
  return remainingMs(deadline) < 20
}
