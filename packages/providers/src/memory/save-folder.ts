import type { FolderChange, FolderId, FolderOutcome, WriteCall } from '@postern/mail'
import { folderChangeFaults } from '../folder-change-faults.ts'
import { folderLevels } from '../folder-levels.ts'
import { enterVerb } from './faults.ts'
import {
  addParents,
  foldersBelow,
  newPath,
  parentLevels,
  requireFolder,
  requireFree,
} from './folder-paths.ts'
import { toFolder } from './list-folders.ts'
import type { MemoryMailbox } from './mailbox.ts'
import type { MemorySession } from './session.ts'

type Creation = Extract<FolderChange, { kind: 'create' }>
type Renaming = Extract<FolderChange, { kind: 'rename' }>

export async function saveFolder(
  session: MemorySession,
  change: FolderChange,
  call: WriteCall,
): Promise<FolderOutcome> {
  await enterVerb(session, 'saveFolder', call)
  const { mailbox } = session
  const folderId =
    change.kind === 'create' ? await create(mailbox, change, call) : await rename(mailbox, change, call)
  return { status: 'done', folder: toFolder(requireFolder(mailbox, folderId), false) }
}

async function create(
  mailbox: MemoryMailbox,
  { parentId, name }: Creation,
  call: WriteCall,
): Promise<FolderId> {
  const above = parentId === null ? [] : requireFolder(mailbox, parentId).path.split('/')
  const path = newPath([...above, ...folderLevels(name)])
  requireFree(mailbox, path)
  await call.enter('change')
  // Others may have come first while the step was written down.
  requireFree(mailbox, path)
  addParents(mailbox, path)
  return mailbox.addFolder({ path })
}

async function rename(
  mailbox: MemoryMailbox,
  { folderId, newName }: Renaming,
  call: WriteCall,
): Promise<FolderId> {
  const path = renamedPath(mailbox, folderId, newName)
  if (path === null) return folderId
  await call.enter('change')
  if (renamedPath(mailbox, folderId, newName) === null) return folderId
  addParents(mailbox, path)
  return mailbox.renameFolder(folderId, path)
}

/** Where the folder goes, or null where it is there already. @throws what saveFolder throws. */
function renamedPath(mailbox: MemoryMailbox, folderId: FolderId, newName: string): string | null {
  const folder = requireFolder(mailbox, folderId)
  const path = newPath([...parentLevels(folder), ...folderLevels(newName)])
  if (path === folder.path) return null
  if ([folder, ...foldersBelow(mailbox, folder)].some(({ role }) => role !== null))
    throw folderChangeFaults.hasRole()
  if (path.startsWith(`${folder.path}/`)) throw folderChangeFaults.insideItself()
  requireFree(mailbox, path)
  return path
}
