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
/** Folders that are compared for it, and characters of each: some mailboxes have tens of thousands of them. */
const maxCompared = 2_000
const comparedLength = 40

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
  if (others.length > 0) throw ambiguous(found, argument)
  // Whatever matched is a name from the mailbox, although the caller passed it: notes and faults do not repeat it.
  const note = `${argument}: a folder was matched without regard to case.`
  return { folder, note: isLoose ? note : null }
}

/** What `resolveFolder` chooses from. Empty: nothing answers to the reference. */
export function matchFolders(reference: string, folders: readonly Folder[]): FolderMatches {
  const role = roles.get(reference.toLowerCase())
  const { byId, byPath, byName, loosely } = indexOf(folders)
  // An id and a role belong to one folder each; should a server repeat one, the first listed has it.
  const strict: readonly (readonly Folder[])[] = [
    byId().get(reference)?.slice(0, 1) ?? [],
    role === undefined ? [] : folders.filter((folder) => folder.role === role).slice(0, 1),
    byPath().get(reference) ?? [],
    byName().get(reference) ?? [],
  ]
  const hit = strict.find((matches) => matches.length > 0)
  if (hit !== undefined) return { folders: hit, isLoose: false }
  return { folders: loosely().get(foldText(reference)) ?? [], isLoose: true }
}

type ByText = () => ReadonlyMap<string, readonly Folder[]>

interface FolderIndex {
  readonly byId: ByText
  readonly byPath: ByText
  readonly byName: ByText
  /** By path and by last level, folded. */
  readonly loosely: ByText
}

// One call may name a hundred and fifty folders of a mailbox that has forty thousand.
const indexes = new WeakMap<readonly Folder[], FolderIndex>()

function indexOf(folders: readonly Folder[]): FolderIndex {
  const known = indexes.get(folders)
  if (known !== undefined) return known
  const index: FolderIndex = {
    byId: lazily(folders, ({ folderId }) => [folderId]),
    byPath: lazily(folders, ({ path }) => [path]),
    byName: lazily(folders, ({ name }) => [name]),
    loosely: lazily(folders, ({ path, name }) => [foldText(path), foldText(name)]),
  }
  indexes.set(folders, index)
  return index
}

function lazily(folders: readonly Folder[], textsOf: (folder: Folder) => readonly string[]): ByText {
  let map: Map<string, Folder[]> | null = null
  return () => {
    if (map !== null) return map
    map = new Map()
    for (const folder of folders) {
      for (const text of new Set(textsOf(folder))) {
        const others = map.get(text)
        if (others === undefined) map.set(text, [folder])
        else others.push(folder)
      }
    }
    return map
  }
}

function ambiguous(candidates: readonly Folder[], argument: string): Fault {
  return new Fault('folder_ambiguous', {
    public:
      `${argument}: ${candidates.length} folders have that name. Each has its own folder_id, in ` +
      'details.folder_ids; folder_list shows their paths. Nothing was done.',
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
      'folder_list shows its folders; the owner can name one for the role. Nothing was done.',
    details: { argument, role },
  })
}

function notFound(folders: readonly Folder[], reference: string, argument: string): Fault {
  return new Fault('folder_not_found', {
    public:
      `${argument}: no folder answers to ${quote(reference)}. ` +
      'details.closest_folder_ids has the nearest spellings; folder_list shows all. Nothing was done.',
    details: { argument, closest_folder_ids: closestIds(folders, reference) },
  })
}

/** Ids of the folders whose path or last level takes the fewest edits to become the reference, nearest first. */
function closestIds(folders: readonly Folder[], reference: string): readonly string[] {
  const cut = (text: string): string => foldText(text.slice(0, 2 * comparedLength)).slice(0, comparedLength)
  const wanted = cut(reference)
  return folders
    .slice(0, maxCompared)
    .map(({ folderId, path, name }) => {
      const edits = [path, name].map((text) => editDistance(wanted, cut(text)))
      return { folderId, edits: Math.min(...edits) }
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, maxClosest)
    .map(({ folderId }) => folderId)
}
