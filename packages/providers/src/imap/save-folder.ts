import type { FolderChange, FolderOutcome, WriteCall } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import { folderLevels } from '../folder-levels.ts'
import { changeFolders, unseenChange, type FolderCommandEnd } from './change-folders.ts'
import { execWrite, isFailure } from './exec-write.ts'
import { folderNotFound } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import {
  findByPath,
  isWithin,
  placeAtTop,
  placeBelow,
  placeBeside,
  placesAbove,
  spell,
  type FolderPlace,
} from './folder-place.ts'
import { isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import { personalNamespace, type PersonalNamespace } from './personal-namespace.ts'
import type { ImapConnection } from './pool.ts'
import { requireFolder } from './require-folder.ts'
import type { ImapSession } from './session.ts'
import { listSubscribed, subscribe } from './subscriptions.ts'
import { toFolders } from './to-folders.ts'
import { text } from './wire.ts'

/**
 * Creates or renames a folder. The command names the whole path, so that the server makes it or changes nothing; the
 * parents that are missing afterwards are made then, and nothing of that can fail what was asked for.
 * @throws invalid_arguments, folder_name_taken, folder_name_reserved, folder_not_found, folder_provider_error, provider_*.
 */
export async function saveFolder(
  session: ImapSession,
  change: FolderChange,
  call: WriteCall,
): Promise<FolderOutcome> {
  return change.kind === 'create' ? create(session, change, call) : rename(session, change, call)
}

async function create(
  session: ImapSession,
  { parentId, name }: Extract<FolderChange, { kind: 'create' }>,
  call: WriteCall,
): Promise<FolderOutcome> {
  const levels = folderLevels(name)
  const listed = await listMailboxes(session, call, 'now')
  const place =
    parentId === null
      ? placeAtTop(await namespaceOf(session, listed, call), levels)
      : placeBelow(requireFolder(listed, parentId), levels)
  const existing = findByPath(listed, place)
  // A name that only holds others up can still become a folder.
  if (existing !== undefined && isSelectable(existing.attributes))
    throw folderChangeFaults.nameTaken(existing.folderId)
  const end = await changeFolders(
    session,
    {
      command: 'CREATE',
      names: (isUtf8) => [spell(place, isUtf8)],
      isLeft: () => false,
      follow: async (connection, patient) => {
        await subscribe(connection, { folderId: spell(place, connection.isUtf8), isOn: true }, patient)
        await addParents(connection, { place, listed }, patient)
      },
    },
    call,
  )
  const made = end.listed === null ? undefined : findByPath(end.listed, place)
  if (end.failure?.status === 'failed' && made !== undefined)
    throw folderChangeFaults.nameTaken(made.folderId)
  return outcomeOf(session, end, made !== undefined && isSelectable(made.attributes) ? made : undefined)
}

async function rename(
  session: ImapSession,
  { folderId, newName }: Extract<FolderChange, { kind: 'rename' }>,
  call: WriteCall,
): Promise<FolderOutcome> {
  const levels = folderLevels(newName)
  const listed = await listMailboxes(session, call, 'now')
  const folder = requireFolder(listed, folderId)
  const place = placeBeside(folder, levels)
  if (folder.path.normalize('NFC') === place.path)
    return outcomeOf(session, { failure: null, listed }, folder)
  requireRenamable(session, { listed, folder, place })
  let subscribed: readonly string[] = []
  const isMoved = (other: string): boolean => isWithin(folder, other)
  const end = await changeFolders(
    session,
    {
      command: 'RENAME',
      names: (isUtf8) => [folderId, spell(place, isUtf8)],
      isLeft: isMoved,
      prepare: async (connection) => {
        subscribed = await listSubscribed(connection, isMoved)
      },
      follow: async (connection, patient) => {
        const newId = spell(place, connection.isUtf8)
        for (const old of subscribed) {
          await subscribe(connection, { folderId: newId + old.slice(folderId.length), isOn: true }, patient)
          await subscribe(connection, { folderId: old, isOn: false }, patient)
        }
        await addParents(connection, { place, listed }, patient)
      },
    },
    call,
  )
  const now = end.listed ?? []
  const [made, isGone] = [findByPath(now, place), now.every((other) => other.folderId !== folderId)]
  if (end.failure?.status === 'failed' && end.listed !== null) {
    if (isGone) throw folderNotFound('renamed or deleted meanwhile')
    if (made !== undefined) throw folderChangeFaults.nameTaken(made.folderId)
  }
  return outcomeOf(session, end, isGone ? made : undefined)
}

/** @throws folder_name_reserved, invalid_arguments, folder_name_taken. */
function requireRenamable(
  { folderRoles }: ImapSession,
  {
    listed,
    folder,
    place,
  }: {
    readonly listed: readonly ListedFolder[]
    readonly folder: ListedFolder
    readonly place: FolderPlace
  },
): void {
  const hasRole = toFolders(listed, folderRoles).some(
    ({ folderId, role }) => role !== null && isWithin(folder, folderId),
  )
  if (hasRole) throw folderChangeFaults.hasRole()
  if (place.path.startsWith(`${folder.path.normalize('NFC')}/`)) throw folderChangeFaults.insideItself()
  const existing = findByPath(listed, place)
  if (existing !== undefined) throw folderChangeFaults.nameTaken(existing.folderId)
}

/** @throws the refusal of what was not done. */
function outcomeOf(
  { folderRoles }: ImapSession,
  { failure, listed }: FolderCommandEnd,
  folder: ListedFolder | undefined,
): FolderOutcome {
  if (failure?.status === 'failed') throw failure.fault
  const shown = toFolders(listed ?? [], folderRoles).find(({ folderId }) => folderId === folder?.folderId)
  return shown === undefined
    ? { status: 'unknown', fault: failure?.fault ?? unseenChange() }
    : { status: 'done', folder: shown }
}

/** RFC 3501 6.3.3: a server should make them by itself; some make names that hold nothing, some make none. */
async function addParents(
  connection: ImapConnection,
  { place, listed }: { readonly place: FolderPlace; readonly listed: readonly ListedFolder[] },
  call: WriteCall,
): Promise<void> {
  for (const parent of placesAbove(place)) {
    if (isSelectable(findByPath(listed, parent)?.attributes ?? ['\\NONEXISTENT'])) continue
    const folderId = spell(parent, connection.isUtf8)
    const args = [text(folderId, connection.isUtf8)]
    const answer = await execWrite(connection, { command: 'CREATE', args }, call)
    if (!isFailure(answer)) await subscribe(connection, { folderId, isOn: true }, call)
  }
}

async function namespaceOf(
  session: ImapSession,
  listed: readonly ListedFolder[],
  call: WriteCall,
): Promise<PersonalNamespace> {
  const told = await session.pool.withConnection(session.account, call, personalNamespace)
  return (
    told ?? { prefix: '', delimiter: listed.find(({ delimiter }) => delimiter !== null)?.delimiter ?? null }
  )
}
