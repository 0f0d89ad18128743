import { editDistance, Fault, quote } from '@postern/core'
import { foldText } from './fold-text.ts'
import { folderRoles, type Folder, type FolderRole } from './folder.ts'

export interface ResolvedFolder {
  readonly folder: Folder
  /** Set when the reference matched only without regard to case. */
  readonly note: string | null
}

const roles: ReadonlyMap<string, FolderRole> = new Map([
  ...folderRoles.map((role) => [role, role] as const),
  ['junk', 'spam'],
])

/** Longest list of candidate ids in a fault. */
const maxCandidates = 20
const maxClosest = 5

/** All folders of the first kind of hit (`resolveFolder`), and whether only their case had to be overlooked. */
export interface FolderMatches {
  readonly folders: readonly Folder[]
  readonly isLoose: boolean
}

/**
 * The folder a caller means, first hit wins: exact id; role in any case; exact path; exact last level, if only
 * one folder has it; path or last level without regard to case.
 * @param argument name of the argument, for the fault. Faults carry ids of folders and never their names.
 * @throws folder_ambiguous with the ids of all candidates, folder_role_missing, folder_not_found with the closest ids.
 */
export function resolveFolder(
  reference: string,
  folders: readonly Folder[],
  argument: string,
): ResolvedFolder {
  const { folders: found, isLoose } = matchFolders(reference, folders)
  const [folder, ...others] = found
  if (folder === undefined) {
    const role = roles.get(reference.toLowerCase())
    throw role === undefined ? notFound(folders, reference, argument) : roleMissing(role, argument)
  }
  if (others.length > 0) throw ambiguous(found, reference, argument)
  const note = `${argument}: ${quote(reference)} was matched without regard to case.`
  return { folder, note: isLoose ? note : null }
}

/** What `resolveFolder` chooses from. Empty: nothing answers to the reference. */
export function matchFolders(reference: string, folders: readonly Folder[]): FolderMatches {
  const role = roles.get(reference.toLowerCase())
  const folded = foldText(reference)
  // An id and a role belong to one folder each; should a server repeat one, the first listed has it.
  const strict: readonly (readonly Folder[])[] = [
    folders.filter(({ folderId }) => folderId === reference).slice(0, 1),
    folders.filter((folder) => role !== undefined && folder.role === role).slice(0, 1),
    folders.filter(({ path }) => path === reference),
    folders.filter(({ name }) => name === reference),
  ]
  const hit = strict.find((matches) => matches.length > 0)
  if (hit !== undefined) return { folders: hit, isLoose: false }
  const loose = folders.filter(({ path, name }) => foldText(path) === folded || foldText(name) === folded)
  return { folders: loose, isLoose: true }
}

function ambiguous(candidates: readonly Folder[], reference: string, argument: string): Fault {
  return new Fault('folder_ambiguous', {
    public:
      `${argument}: ${candidates.length} folders answer to ${quote(reference)}. ` +
      'Pass one of the folder ids in details.folder_ids; folder_list shows their paths.',
    details: {
      argument,
      folder_ids: candidates.slice(0, maxCandidates).map(({ folderId }) => folderId),
      count: candidates.length,
    },
  })
}

function roleMissing(role: FolderRole, argument: string): Fault {
  return new Fault('folder_role_missing', {
    public:
      `${argument}: this mailbox has no folder with the role ${role}. ` +
      'folder_list shows its folders; the owner can name one for the role.',
    details: { argument, role },
  })
}

function notFound(folders: readonly Folder[], reference: string, argument: string): Fault {
  return new Fault('folder_not_found', {
    public:
      `${argument}: no folder answers to ${quote(reference)}. ` +
      'details.closest_folder_ids has the nearest ones; folder_list shows all.',
    details: { argument, closest_folder_ids: closestIds(folders, reference) },
  })
}

/** Ids of the folders whose path or last level takes the fewest edits to become the reference, nearest first. */
function closestIds(folders: readonly Folder[], reference: string): readonly string[] {
  const wanted = foldText(reference).slice(0, 40)
  return folders
    .map(({ folderId, path, name }) => {
      const edits = [path, name].map((text) => editDistance(wanted, foldText(text).slice(0, 40)))
      return { folderId, edits: Math.min(...edits) }
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, maxClosest)
    .map(({ folderId }) => folderId)
}
