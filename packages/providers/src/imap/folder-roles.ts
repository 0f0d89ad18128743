import type { FolderRole } from '@postern/mail'
import type { ListedFolder } from './folder-cache.ts'
// What mail programs and services call these folders, by role, in lower case.
import namesByRole from './folder-names.json' with { type: 'json' }

// RFC 6154 and RFC 8457. Compared in upper case: Cyrus sends them in lower.
const attributeRoles: ReadonlyMap<string, FolderRole> = new Map([
  ['\\SENT', 'sent'],
  ['\\DRAFTS', 'drafts'],
  ['\\TRASH', 'trash'],
  ['\\ARCHIVE', 'archive'],
  ['\\JUNK', 'spam'],
  ['\\SPAM', 'spam'],
  ['\\ALL', 'all'],
  ['\\ALLMAIL', 'all'],
  ['\\FLAGGED', 'flagged'],
  ['\\STARRED', 'flagged'],
  ['\\IMPORTANT', 'important'],
])

const rolesByName: ReadonlyMap<string, FolderRole> = new Map(
  Object.entries(namesByRole).flatMap(([role, names]) =>
    names.map((name) => [name, role as FolderRole] as const),
  ),
)

/**
 * Who has which role. Each role goes to one folder: to the one the server names (SPECIAL-USE), else to the one
 * the owner named, else to one that is called so in some language, the one nearest to the root first. INBOX is
 * the inbox.
 */
export function folderRolesOf(
  folders: readonly ListedFolder[],
  ownerRoles: Readonly<Record<string, string>>,
): ReadonlyMap<string, FolderRole> {
  const found = new Map<string, FolderRole>()
  const taken = new Set<FolderRole>()
  const give = (folderId: string, role: FolderRole): void => {
    if (taken.has(role) || found.has(folderId)) return
    found.set(folderId, role)
    taken.add(role)
  }
  for (const { folderId } of folders) if (/^inbox$/i.test(folderId)) give(folderId, 'inbox')
  for (const { folderId, attributes } of folders) {
    for (const attribute of attributes) {
      const role = attributeRoles.get(attribute)
      if (role !== undefined) give(folderId, role)
    }
  }
  const listed = new Set(folders.map(({ folderId }) => folderId))
  for (const [name, folderId] of Object.entries(ownerRoles)) {
    const role = [...attributeRoles.values()].find((known) => known === name)
    if (role !== undefined && listed.has(folderId)) give(folderId, role)
  }
  const byDepth = [...folders].sort((a, b) => depth(a) - depth(b))
  for (const { folderId, name, attributes } of byDepth) {
    const role = rolesByName.get(name.normalize('NFC').toLowerCase().trim())
    if (role !== undefined && isSelectable(attributes)) give(folderId, role)
  }
  return found
}

/** Mail in it is on its way out: it has the role trash or spam, or the server calls it so beside another one. */
export function isDiscarding({ attributes }: ListedFolder, role: FolderRole | null): boolean {
  const called = attributes.map((attribute) => attributeRoles.get(attribute) ?? null)
  return [role, ...called].some((one) => one === 'trash' || one === 'spam')
}

/** RFC 3501 7.2.2, RFC 5258 3: neither can be opened. */
export function isSelectable(attributes: readonly string[]): boolean {
  return !attributes.includes('\\NOSELECT') && !attributes.includes('\\NONEXISTENT')
}

function depth({ path }: ListedFolder): number {
  return path.split('/').length
}
