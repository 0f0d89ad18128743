import { quote } from '@postern/core'
import type { Folder, FolderId } from './folder.ts'
import type { QueryNode } from './query-term.ts'
import { matchFolders, resolveFolder } from './resolve-folder.ts'
import type { Criterion } from './search-query.ts'

export interface ResolvedPlaces {
  readonly criterion: Criterion
  /** Folders that the query names: a scope that was not given explicitly must include them. */
  readonly folderIds: readonly FolderId[]
  readonly notes: readonly string[]
}

// RFC 9051 9: a keyword is an atom. Backslash would make it a system flag.
const keywordShape = /^[^\s\x00-\x1f\x7f-\u{10ffff}(){%*"\\\]]{1,200}$/u

/**
 * Puts the folders of one mailbox in the place of the names of a query. A `label:` is a folder or a keyword, or both.
 * @throws folder_ambiguous, folder_not_found, folder_role_missing as `resolveFolder`.
 */
export function resolvePlaces(node: QueryNode, folders: readonly Folder[]): ResolvedPlaces {
  const folderIds = new Set<FolderId>()
  const notes = new Set<string>()

  const placed = (operator: 'in' | 'label', name: string): Criterion => {
    const isKeyword = operator === 'label' && keywordShape.test(name)
    const keyword: Criterion = { kind: 'keyword', keyword: name }
    if (isKeyword && matchFolders(name, folders).folders.length === 0) {
      notes.add(`query: no folder answers to label:${quote(name)}; it was searched as a keyword.`)
      return keyword
    }
    const { folder, note } = resolveFolder(name, folders, `query: ${operator}`)
    if (note !== null) notes.add(note)
    folderIds.add(folder.folderId)
    const inFolder: Criterion = { kind: 'folder', folderId: folder.folderId }
    return isKeyword ? { kind: 'or', of: [inFolder, keyword] } : inFolder
  }

  const resolve = (part: QueryNode): Criterion => {
    if (part.kind === 'and' || part.kind === 'or') return { kind: part.kind, of: part.of.map(resolve) }
    if (part.kind === 'not') return { kind: 'not', of: resolve(part.of) }
    return part.kind === 'place' ? placed(part.operator, part.name) : part
  }

  const criterion = resolve(node)
  return { criterion, folderIds: [...folderIds], notes: [...notes] }
}
