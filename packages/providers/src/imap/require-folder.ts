import type { FolderId } from '@postern/mail'
import { folderNotFound } from './faults.ts'
import type { ListedFolder } from './folder-cache.ts'

/** @throws folder_not_found. */
export function requireFolder(listed: readonly ListedFolder[], folderId: FolderId): ListedFolder {
  const folder = listed.find((other) => other.folderId === folderId)
  if (folder === undefined) throw folderNotFound('not in the listing of this moment')
  return folder
}
