import { holdsScopes } from '@postern/access'
import { resolveFolder, type MoveTarget, type ReadMail } from '@postern/mail'
import { amongFolders } from '../../among-folders.ts'
import type { ActionContext } from '../../define-tool.ts'

/**
 * The folder that a caller names as destination. Trash and Spam are open to who may delete, however they are spelled:
 * the adapter refuses them to others.
 * @throws folder_not_found, folder_ambiguous, folder_role_missing.
 */
export async function destinationOf(
  reference: string,
  mail: ReadMail,
  context: ActionContext,
): Promise<MoveTarget> {
  const { folder, note } = await amongFolders(mail, context.call, (folders) =>
    resolveFolder(reference, folders, 'destination_folder_id'),
  )
  if (note !== null) context.note(note)
  return { folderId: folder.folderId, mayDiscard: holdsScopes(context.principal, [['delete:email']]) }
}
