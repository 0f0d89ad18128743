import { Fault } from '@postern/core'
import type { FolderId } from '@postern/mail'
import { folderNotFound, misbehaved, reconnectRequired, refused, unavailable } from './faults.ts'
import type { ImapConnection } from './pool.ts'
import { isList, text, tokenNumber, tokenText, type Answer, type Token } from './wire.ts'

/** What a folder is opened for: `read` EXAMINEs, `write` SELECTs. */
export type OpenMode = 'read' | 'write'

/** What a server says of a mailbox as it opens it. */
export interface OpenedFolder {
  readonly folderId: FolderId
  readonly mode: OpenMode
  readonly exists: number
  readonly uidValidity: number
  /** The least UID that the next message can have; null: not said. */
  readonly uidNext: number | null
  /** Flags and keywords that can be changed for good, as spelled; `\*` among them: new ones can be made. Null: not said. */
  readonly permanentFlags: readonly string[] | null
}

/**
 * Opens a mailbox. Reading EXAMINEs, so that nothing that follows can set `\Seen` or clear `\Recent`. RFC 3501 6.3.2.
 * @throws folder_not_found, capability_unavailable (read-only, where it is to be changed), provider_*, timeout.
 */
export async function openFolder(
  connection: ImapConnection,
  folderId: FolderId,
  mode: OpenMode,
): Promise<OpenedFolder> {
  // A line end in a name would end the command; no server can list such a name, so it is nobody's folder.
  if (/[\r\n\0]/.test(folderId)) throw folderNotFound('folder id holds a control character')
  const command = mode === 'read' ? 'EXAMINE' : 'SELECT'
  const answer = await connection.run(command, [text(folderId, connection.isUtf8)], {
    collect: ['EXISTS', 'OK'],
  })
  if (answer.status !== 'OK') throw openFault(answer, command)
  if (mode === 'write' && answer.code === 'READ-ONLY') throw readOnly()
  let exists: number | null = null
  const codes = new Map<string, Token | undefined>()
  for (const line of answer.lines) {
    if (line.keyword === 'EXISTS') exists = line.number
    const first = line.tokens[0]
    if (first === null || first === undefined || isList(first) || first.section === undefined) continue
    codes.set(tokenText(first.section[0])?.toUpperCase() ?? '', first.section[1])
  }
  // RFC 3501 6.3.1: EXISTS is required. Without it no listing could be honest.
  if (exists === null) throw misbehaved(`${command} without EXISTS`)
  const flags = codes.get('PERMANENTFLAGS')
  return {
    folderId,
    mode,
    exists,
    uidValidity: tokenNumber(codes.get('UIDVALIDITY')) ?? 0,
    uidNext: tokenNumber(codes.get('UIDNEXT')),
    permanentFlags: isList(flags)
      ? flags.map((flag) => tokenText(flag)).filter((flag) => flag !== null)
      : null,
  }
}

function readOnly(): Fault {
  return new Fault('capability_unavailable', {
    public: 'The mail server lets nobody change this folder, only read it. Nothing was changed.',
    internal: 'SELECT: READ-ONLY',
  })
}

// Most servers say NO without a code when a mailbox is not there; the words tell the other causes apart.
function openFault(answer: Answer, command: string): Fault {
  const internal = `${command}: ${answer.status} ${answer.code ?? ''} ${answer.text}`
  if (answer.status === 'BAD') return misbehaved(internal)
  if (/unsafe login/i.test(answer.text)) return reconnectRequired('web_login_needed', internal)
  if (answer.code === null || answer.code === 'TRYCREATE') {
    const isPassing = /temporar|try again|in use|locked|unavailable|internal error/i.test(answer.text)
    return isPassing ? unavailable('lost', internal) : folderNotFound(internal)
  }
  return refused(answer, command)
}
