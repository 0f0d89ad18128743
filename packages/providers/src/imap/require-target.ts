import { Fault } from '@postern/core'
import type { FolderId, MoveTarget, WriteCall } from '@postern/mail'
import { folderNotFound } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'
import { isWithin } from './folder-place.ts'
import { folderRolesOf, isDiscarding, isSelectable } from './folder-roles.ts'
import { listMailboxes } from './list-mailboxes.ts'
import type { ImapSession } from './session.ts'

/**
 * The folder exists, holds messages, and may be moved to: into Trash and Spam, and into folders below them, goes only
 * what the caller may discard.
 * @throws folder_not_found, insufficient_scope.
 */
export async function requireTarget(session: ImapSession, to: MoveTarget, call: WriteCall): Promise<void> {
  const known = await listMailboxes(session, call, 'known')
  const listed = find(known, to.folderId) === undefined ? await listMailboxes(session, call, 'now') : known
  const folder = find(listed, to.folderId)
  if (folder === undefined || !isSelectable(folder.attributes))
    throw folderNotFound('destination of a move or copy')
  if (to.mayDiscard) return
  const roles = folderRolesOf(listed, session.folderRoles)
  // A server may call several folders Trash, of which one has the role; what lies below goes when Trash is emptied.
  const isDiscarded = listed
    .filter((other) => isDiscarding(other, roles.get(other.folderId) ?? null))
    .some((other) => isWithin(other, folder.folderId))
  if (!isDiscarded) return
  throw new Fault('insufficient_scope', {
    public:
      'Moving mail to Trash or Spam needs the scope delete:email, which this key lacks. Nothing was changed.',
    details: { missing_scopes: ['delete:email'] },
  })
}

function find(listed: readonly ListedFolder[], folderId: FolderId): ListedFolder | undefined {
  return listed.find((folder) => folder.folderId === folderId)
}
