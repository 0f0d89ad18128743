import { Fault } from '@postern/core'
import {
  defaultSearchFolders,
  parseQuery,
  parseTime,
  resolveFolder,
  resolvePlaces,
  type Criterion,
  type Folder,
  type QueryNode,
  type SearchQuery,
} from '@postern/mail'
import * as z from 'zod'
import * as params from '../../params.ts'

const filters = z.strictObject(params.searchFields)
export type Filters = z.output<typeof filters>

/** What a search asks, before the folders of any one mailbox are known. */
export interface Search {
  readonly filters: Filters
  readonly node: QueryNode
  readonly isAnywhere: boolean
  readonly resolved: {
    readonly since: string | null
    readonly before: string | null
    readonly timezone: string
  }
}

interface SearchContext {
  readonly now: Date
  readonly timezone: string
  readonly note: (sentence: string) => void
}

/** Filters that were given, without the rest of an action's arguments; what a cursor is bound to. */
export function givenFilters(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.keys(params.searchFields).flatMap((name) =>
      input[name] === undefined ? [] : [[name, input[name]]],
    ),
  )
}

/** Filters from a cursor, which were valid when it was sealed. */
export function readFilters(sealed: Readonly<Record<string, unknown>>): Filters {
  return filters.parse(sealed)
}

/**
 * One question from the structured fields and the query, joined by AND.
 * @throws query_syntax, query_unsupported, query_too_broad, invalid_arguments (times).
 */
export function buildSearch(filters: Filters, context: SearchContext): Search {
  const since = readTime('since', filters.since, context)
  const before = readTime('before', filters.before, context)
  if (since !== null && before !== null && since >= before) {
    throw new Fault('invalid_arguments', {
      public: `since must be earlier than before, since it is inclusive and before is exclusive; they were read as ${since.toISOString()} and ${before.toISOString()}. Nothing was done.`,
      details: { argument: 'since', since: since.toISOString(), before: before.toISOString() },
    })
  }
  const parsed = filters.query === undefined ? null : parseQuery(filters.query, context)
  for (const note of parsed?.notes ?? []) context.note(note)
  const parts: readonly QueryNode[] = [
    ...structured(filters),
    ...(since === null ? [] : [{ kind: 'since', at: since } as const]),
    ...(before === null ? [] : [{ kind: 'before', at: before } as const]),
    ...(parsed === null ? [] : [parsed.criterion]),
  ]
  return {
    filters,
    node: parts.length === 0 ? { kind: 'all' } : { kind: 'and', of: parts },
    isAnywhere: parsed?.isAnywhere ?? false,
    resolved: {
      since: since?.toISOString() ?? null,
      before: before?.toISOString() ?? null,
      timezone: context.timezone,
    },
  }
}

function structured(filters: Filters): readonly Criterion[] {
  const fields = ['from', 'to', 'cc', 'subject', 'body', 'text'] as const
  const texts = fields.flatMap((field): Criterion[] => {
    const value = filters[field]
    return value === undefined ? [] : [{ kind: 'text', field, value }]
  })
  const asked = (isWanted: boolean | undefined, criterion: Criterion): Criterion[] => {
    if (isWanted === undefined) return []
    return [isWanted ? criterion : { kind: 'not', of: criterion }]
  }
  return [
    ...texts,
    ...asked(filters.has_attachment, { kind: 'attachment' }),
    ...asked(filters.unread, { kind: 'flag', flag: 'seen', isSet: false }),
    ...asked(filters.flagged, { kind: 'flag', flag: 'flagged', isSet: true }),
    ...(filters.larger === undefined ? [] : [{ kind: 'larger', bytes: filters.larger } as const]),
    ...(filters.smaller === undefined ? [] : [{ kind: 'smaller', bytes: filters.smaller } as const]),
  ]
}

function readTime(
  argument: 'since' | 'before',
  text: string | undefined,
  context: SearchContext,
): Date | null {
  if (text === undefined) return null
  const { at, isZoneAssumed } = parseTime(text, argument, context)
  if (isZoneAssumed)
    context.note(`${argument} named no time zone and was read in the inbox's, ${context.timezone}.`)
  return at
}

/**
 * The search as put to one mailbox: folders by id, in the order they are walked.
 * @throws folder_not_found, folder_ambiguous, folder_role_missing.
 */
export function placeSearch(
  search: Search,
  folders: readonly Folder[],
  note: (sentence: string) => void,
): SearchQuery {
  const { criterion, folderIds: named, notes } = resolvePlaces(search.node, folders)
  for (const sentence of notes) note(sentence)
  const {
    include_folders: include,
    exclude_folders: exclude,
    include_spam_trash: withDiscarded,
  } = search.filters
  const resolve = (references: readonly string[], argument: string): string[] =>
    references.map((reference) => {
      const found = resolveFolder(reference, folders, argument)
      if (found.note !== null) note(found.note)
      return found.folder.folderId
    })
  const scope =
    include === undefined || include.length === 0
      ? [
          ...defaultSearchFolders(folders, {
            includeSpamTrash: withDiscarded === true || search.isAnywhere,
            isByFolder: named.length > 0,
          }),
          // A folder that the query names is meant to be searched, Spam and Trash too.
          ...named,
        ]
      : resolve(include, 'include_folders')
  const excluded = new Set(resolve(exclude ?? [], 'exclude_folders'))
  const selectable = new Set(
    folders.filter(({ isSelectable }) => isSelectable).map(({ folderId }) => folderId),
  )
  const open = [...new Set(scope)].filter((folderId) => selectable.has(folderId))
  if (open.length < new Set(scope).size)
    note('A folder that was named holds no messages, only other folders, and was not searched.')
  const folderIds = open.filter((folderId) => !excluded.has(folderId))
  if (folderIds.length === 0) note('The folders that were named leave none to search.')
  return { criterion, folderIds }
}
