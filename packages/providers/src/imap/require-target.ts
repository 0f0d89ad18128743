import { Fault } from '@postern/core'
import type { MoveTarget, WriteCall } from '@postern/mail'
import { folderNotFound } from './faults.ts'
import { listFolders } from './list-folders.ts'
import type { ImapSession } from './session.ts'

/**
 * The folder exists, holds messages, and may be moved to: into Trash and Spam goes only what the caller may discard.
 * @throws folder_not_found, insufficient_scope.
 */
export async function requireTarget(session: ImapSession, to: MoveTarget, call: WriteCall): Promise<void> {
  const isTarget = ({ folderId }: { readonly folderId: string }): boolean => folderId === to.folderId
  const folder =
    (await listFolders(session, 'known', call)).find(isTarget) ??
    (await listFolders(session, 'now', call)).find(isTarget)
  if (folder === undefined || !folder.isSelectable) throw folderNotFound('destination of a move or copy')
  if (to.mayDiscard || (folder.role !== 'trash' && folder.role !== 'spam')) return
  throw new Fault('insufficient_scope', {
    public:
      'Moving mail to Trash or Spam needs the scope delete:email, which this key lacks. Nothing was changed.',
    details: { missing_scopes: ['delete:email'] },
  })
}
