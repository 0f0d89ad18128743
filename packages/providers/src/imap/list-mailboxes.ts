import { rawText, type Call } from '@postern/mail'
import { misbehaved, requireOk } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import { decodeModifiedUtf7 } from './modified-utf7.ts'
import type { ImapConnection } from './pool.ts'
import type { ImapSession } from './session.ts'
import { atom, isList, tokenText, type Argument, type Line } from './wire.ts'

/** Folders of a mailbox; more are refused rather than cut, or a search would call itself complete. */
const maxFolders = 40_000
const maxListLines = 2 * maxFolders
const maxListOctets = 16 * 1024 * 1024
/** What no file system takes as a path, no server can open either. */
const maxNameOctets = 4_096

/**
 * Every folder, INBOX first, then by path; one LIST, remembered for a minute. Never subscribes, never selects.
 * @param view `now`: asks the server also where a listing is remembered; the new one takes its place once it is whole.
 * @throws provider_*, timeout; provider_error also for a mailbox of more folders than can be listed.
 */
export async function listMailboxes(
  session: ImapSession,
  call: Call,
  view: 'known' | 'now' = 'known',
): Promise<readonly ListedFolder[]> {
  const known = session.folders.get(session.account)
  if (known !== null && view === 'known') return known
  const folders = await session.pool.withConnection(session.account, call, readAll)
  session.folders.set(session.account, folders)
  return folders
}

async function readAll(connection: ImapConnection): Promise<readonly ListedFolder[]> {
  const folders = new Map<string, ListedFolder>()
  let lines = 0
  const args: Argument[] = [
    { type: 'STRING', value: '' },
    { type: 'STRING', value: '*' },
  ]
  // RFC 6154 2: a server with SPECIAL-USE need not volunteer it, and some do not.
  const isExtended =
    connection.capabilities.has('SPECIAL-USE') && connection.capabilities.has('LIST-EXTENDED')
  const extras = isExtended ? [atom('RETURN'), [atom('SPECIAL-USE')]] : []
  const run = (more: readonly Argument[]): ReturnType<ImapConnection['run']> =>
    connection.run('LIST', [...args, ...more], {
      collect: ['LIST'],
      onLine: (line) => {
        const folder = readListLine(line, connection.isUtf8)
        if (folder !== null) folders.set(folder.folderId, folder)
        lines += 1
        if (folders.size > maxFolders || lines > maxListLines) throw misbehaved('LIST without end')
      },
      isPatient: true,
      maxOctets: maxListOctets,
    })
  const answer = await run(extras)
  // Servers have been seen that offer extensions which they then do not understand.
  if (answer.status !== 'OK' && isExtended) requireOk(await run([]), 'LIST')
  else requireOk(answer, 'LIST')
  return [...folders.values()].sort(byPath)
}

/** One `* LIST (attributes) delimiter name`; null for a line that is none. RFC 3501 7.2.2. */
export function readListLine({ tokens }: Line, isUtf8: boolean): ListedFolder | null {
  const [flags, delimiterToken, nameToken] = tokens
  if (!isList(flags) || tokens.length < 3 || isList(nameToken)) return null
  // A folder may be called NIL, and some servers do not quote it.
  const folderId = tokenText(nameToken) ?? 'NIL'
  const separator = tokenText(delimiterToken)
  const delimiter = separator === '' ? null : separator
  if (folderId === '' || folderId.length > maxNameOctets) return null
  const levels = (delimiter === null ? [folderId] : folderId.split(delimiter)).map((level) =>
    isUtf8 ? level : decodeModifiedUtf7(level),
  )
  return {
    folderId,
    // A name that ends with its delimiter has an empty last level; the folder still has a name.
    name: rawText(levels.findLast((level) => level !== '') ?? folderId),
    path: rawText(levels.join('/')),
    delimiter,
    attributes: flags.map((flag) => tokenText(flag)?.toUpperCase()).filter((flag) => flag !== undefined),
  }
}

function byPath(a: ListedFolder, b: ListedFolder): number {
  const inbox = Number(/^inbox$/i.test(b.folderId)) - Number(/^inbox$/i.test(a.folderId))
  return inbox !== 0 ? inbox : a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
