import type { FolderId, FolderRemoval, FolderRemovalOutcome, WriteCall } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import { changeFolders, unseenChange } from './change-folders.ts'
import { folderNotFound, misbehaved, requireOk } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import { isWithin } from './folder-place.ts'
import { isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import type { ImapConnection } from './pool.ts'
import { requireFolder } from './require-folder.ts'
import type { ImapSession } from './session.ts'
import { subscribe } from './subscriptions.ts'
import { toFolders } from './to-folders.ts'
import { atom, isList, text, tokenNumber } from './wire.ts'

/**
 * Deletes a folder, and what lies in it where the caller may discard that: else its messages are counted, once more
 * right before the command. One with a role, or with folders below, is left alone.
 * @throws folder_not_found, folder_name_reserved, insufficient_scope, folder_provider_error, provider_*, timeout.
 */
export async function deleteFolder(
  session: ImapSession,
  { folderId, mayDiscard }: FolderRemoval,
  call: WriteCall,
): Promise<FolderRemovalOutcome> {
  const listed = await listMailboxes(session, call, 'now')
  const folder = requireFolder(listed, folderId)
  requireNoRole(session, listed, folder)
  if (listed.some((other) => other !== folder && isWithin(folder, other.folderId)))
    throw folderChangeFaults.hasChildren()
  const isGuarded = !mayDiscard && isSelectable(folder.attributes)
  const requireEmpty = (connection: ImapConnection): Promise<void> => requireNoMail(connection, folderId)
  const { failure, listed: now } = await changeFolders(
    session,
    {
      command: 'DELETE',
      names: () => [folderId],
      isLeft: (other) => other === folderId,
      ...(isGuarded ? { prepare: requireEmpty, lookAgain: requireEmpty } : {}),
      follow: (connection, patient) => subscribe(connection, { folderId, isOn: false }, patient),
    },
    call,
  )
  // A name may be left that only holds others up: folders that came in meanwhile.
  const isGone =
    now?.every((other) => other.folderId !== folderId || !isSelectable(other.attributes)) ?? false
  if (failure?.status === 'failed') throw isGone ? folderNotFound('deleted meanwhile') : failure.fault
  return isGone ? { status: 'done' } : { status: 'unknown', fault: failure?.fault ?? unseenChange() }
}

/** @throws folder_name_reserved. */
function requireNoRole(
  { folderRoles }: ImapSession,
  listed: readonly ListedFolder[],
  { folderId }: ListedFolder,
): void {
  const folder = toFolders(listed, folderRoles).find((other) => other.folderId === folderId)
  if (folder?.role !== null) throw folderChangeFaults.hasRole()
}

/** RFC 3501 6.3.10. @throws insufficient_scope, provider_*, timeout. */
async function requireNoMail(connection: ImapConnection, folderId: FolderId): Promise<void> {
  const args = [text(folderId, connection.isUtf8), [atom('MESSAGES')]]
  const answer = requireOk(await connection.run('STATUS', args, { collect: ['STATUS'] }), 'STATUS')
  const items = answer.lines[0]?.tokens[1]
  const messages = isList(items) ? tokenNumber(items[1]) : null
  if (messages === null) throw misbehaved('STATUS without MESSAGES')
  if (messages > 0) throw folderChangeFaults.hasMail()
}
