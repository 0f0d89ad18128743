import { resolveFolder, type FolderId, type ReadMail } from '@postern/mail'
import { amongFolders } from '../../among-folders.ts'
import type { WriteContext } from '../../define-tool.ts'

/** The folder that a caller means by folder_id. @throws folder_not_found, folder_ambiguous, folder_role_missing. */
export async function namedFolder(
  reference: string,
  mail: ReadMail,
  { call, note: tell }: WriteContext,
): Promise<FolderId> {
  const { folder, note } = await amongFolders(mail, call, (folders) =>
    resolveFolder(reference, folders, 'folder_id'),
  )
  if (note !== null) tell(note)
  return folder.folderId
}
