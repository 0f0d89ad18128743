import type { Fault } from '@postern/core'
import type { FolderId } from '@postern/mail'
import { folderNotFound, misbehaved, reconnectRequired, refused, unavailable } from './faults.ts'
import type { ImapConnection } from './pool.ts'
import { isList, text, tokenNumber, tokenText, type Answer } from './wire.ts'

/** What EXAMINE says of a mailbox. */
export interface Examined {
  readonly folderId: FolderId
  readonly exists: number
  readonly uidValidity: number
}

/**
 * Opens a mailbox for reading. EXAMINE, never SELECT: nothing that follows can set `\Seen` or clear `\Recent`.
 * RFC 3501 6.3.2.
 * @throws folder_not_found, provider_*, timeout.
 */
export async function examine(connection: ImapConnection, folderId: FolderId): Promise<Examined> {
  // A line end in a name would end the command; no server can list such a name, so it is nobody's folder.
  if (/[\r\n\0]/.test(folderId)) throw folderNotFound('folder id holds a control character')
  const answer = await connection.run('EXAMINE', [text(folderId, connection.isUtf8)], {
    collect: ['EXISTS', 'OK'],
  })
  if (answer.status !== 'OK') throw examineFault(answer)
  let exists: number | null = null
  const codes = new Map<string, number | null>()
  for (const line of answer.lines) {
    if (line.keyword === 'EXISTS') exists = line.number
    const first = line.tokens[0]
    if (first === null || first === undefined || isList(first) || first.section === undefined) continue
    codes.set(tokenText(first.section[0])?.toUpperCase() ?? '', tokenNumber(first.section[1]))
  }
  // RFC 3501 6.3.1: EXISTS is required. Without it no listing could be honest.
  if (exists === null) throw misbehaved('EXAMINE without EXISTS')
  return {
    folderId,
    exists,
    uidValidity: codes.get('UIDVALIDITY') ?? 0,
  }
}

// Most servers say NO without a code when a mailbox is not there; the words tell the other causes apart.
function examineFault(answer: Answer): Fault {
  const internal = `EXAMINE: ${answer.status} ${answer.code ?? ''} ${answer.text}`
  if (answer.status === 'BAD') return misbehaved(internal)
  if (/unsafe login/i.test(answer.text)) return reconnectRequired('web_login_needed', internal)
  if (answer.code === null || answer.code === 'TRYCREATE') {
    const isPassing = /temporar|try again|in use|locked|unavailable|internal error/i.test(answer.text)
    return isPassing ? unavailable('lost', internal) : folderNotFound(internal)
  }
  return refused(answer, 'EXAMINE')
}
