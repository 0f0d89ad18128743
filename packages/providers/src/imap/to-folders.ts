import type { Folder, FolderId } from '@postern/mail'
import type { FolderCount } from './count-folders.ts'
import type { ListedFolder } from './folder-cache.ts'
import { folderRolesOf, isSelectable } from './folder-roles.ts'

/** A listing in the words of the port, with the counts that were taken. */
export function toFolders(
  listed: readonly ListedFolder[],
  ownerRoles: Readonly<Record<string, string>>,
  counts: ReadonlyMap<FolderId, FolderCount> | null = null,
): readonly Folder[] {
  const roles = folderRolesOf(listed, ownerRoles)
  return listed.map(({ folderId, name, path, attributes }) => ({
    folderId,
    name,
    path,
    type: 'folder',
    role: roles.get(folderId) ?? null,
    isSelectable: isSelectable(attributes),
    total: counts?.get(folderId)?.total ?? null,
    unread: counts?.get(folderId)?.unread ?? null,
  }))
}
