import { Fault } from '@postern/core'
import type { Call, FolderId } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { chunk } from './number-set.ts'
import type { ImapConnection } from './pool.ts'
import type { ImapSession } from './session.ts'
import { atom, isList, text, tokenNumber, tokenText, type Line, type Token } from './wire.ts'

const maxCounted = 200
const countMs = 5_000
/** Folders of one LIST with STATUS: a slow server still answers for the first ones in time. */
const listedAtOnce = 50

export interface FolderCount {
  readonly total: number
  readonly unread: number | null
}

/**
 * Message counts of the first 200 of these folders, as far as five seconds reach. What could not be counted is
 * missing: a server that refuses or is slow makes counts null, not the listing fail. STATUS changes nothing, and
 * is never put to the open mailbox alone (RFC 3501 6.3.10), so which one that is does not matter.
 * @throws inbox_reconnect_required, `signal.reason`.
 */
export async function countFolders(
  session: ImapSession,
  folderIds: readonly FolderId[],
  call: Call,
): Promise<ReadonlyMap<FolderId, FolderCount>> {
  const counts = new Map<FolderId, FolderCount>()
  const wanted = folderIds.slice(0, maxCounted)
  const soon: Call = { ...call, deadline: new Date(Math.min(call.deadline.getTime(), Date.now() + countMs)) }
  const cut = await attempt(
    () =>
      session.pool.withConnection(session.account, soon, (connection) => count(connection, wanted, counts)),
    call,
    ({ code }) => code !== 'inbox_reconnect_required',
  )
  if (cut instanceof Fault) call.log.info('folder_counts_cut', { fault_code: cut.code, count: counts.size })
  return counts
}

async function count(
  connection: ImapConnection,
  wanted: readonly FolderId[],
  counts: Map<FolderId, FolderCount>,
): Promise<void> {
  const items = [atom('MESSAGES'), atom('UNSEEN')]
  const options = {
    collect: ['STATUS'],
    onLine: (line: Line): void => keepCount(line, counts),
    isPatient: true,
  }
  // A wildcard cannot be escaped in a LIST pattern, so such a name is asked for alone.
  const isPlain = (folderId: FolderId): boolean =>
    connection.capabilities.has('LIST-STATUS') && !/[%*]/.test(folderId)
  const names = (ids: readonly FolderId[]): ReturnType<typeof text>[] =>
    ids.map((id) => text(id, connection.isUtf8))
  let isListed = true
  for (const ids of chunk(wanted.filter(isPlain), listedAtOnce)) {
    // RFC 5819; RFC 5258 lets a LIST name several mailboxes.
    const args = [text('', false), names(ids), atom('RETURN'), [atom('STATUS'), items]]
    const answer = await connection.run('LIST', args, options)
    isListed &&= answer.status === 'OK'
    if (!isListed) break
  }
  const rest = isListed ? wanted.filter((id) => !isPlain(id)) : wanted
  for (const id of rest) await connection.run('STATUS', [...names([id]), items], options)
}

/** `* STATUS name (MESSAGES 3 UNSEEN 1)`. */
function keepCount({ tokens }: Line, counts: Map<FolderId, FolderCount>): void {
  const [name, items] = tokens
  if (!isList(items)) return
  const values = new Map<string, Token>()
  for (let at = 0; at + 1 < items.length; at += 2) {
    values.set(tokenText(items[at])?.toUpperCase() ?? '', items[at + 1] ?? null)
  }
  const total = tokenNumber(values.get('MESSAGES'))
  if (total !== null)
    counts.set(tokenText(name) ?? 'NIL', { total, unread: tokenNumber(values.get('UNSEEN')) })
}
