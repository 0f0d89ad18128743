import { Fault } from '@postern/core'
import { resolvePlaces, type Folder, type SearchQuery } from '@postern/mail'
import { placeSearch, type Search } from '../email-read/filters.ts'

/** Folders that one wait may watch: each beyond the first costs the mail server a question every few seconds. */
const maxFolders = 5

/**
 * The question as put to one mailbox: INBOX, unless folders are named by include_folders or by the query.
 * @throws invalid_arguments (none or too many folders), folder_not_found, folder_ambiguous, folder_role_missing.
 */
export function placeWait(
  question: Search,
  folders: readonly Folder[],
  note: (sentence: string) => void,
): SearchQuery {
  const { include_folders: given = [] } = question.filters
  const named = given.length > 0 ? given : resolvePlaces(question.node, folders).folderIds
  const include = named.length > 0 ? [...named] : ['inbox']
  const query = placeSearch(
    { ...question, filters: { ...question.filters, include_folders: include } },
    folders,
    note,
  )
  const count = query.folderIds.length
  if (count >= 1 && count <= maxFolders) return query
  throw new Fault('invalid_arguments', {
    public: `A wait watches 1 to ${maxFolders} folders, and these arguments name ${count}. Without include_folders it watches INBOX. Nothing was done.`,
    details: { argument: 'include_folders', count, limit: maxFolders },
  })
}
