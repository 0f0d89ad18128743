import { Fault } from '@postern/core'
import type { FolderId } from './folder.ts'
import type { Criterion } from './search-query.ts'
import { simplifyCriterion } from './simplify-criterion.ts'

type Test<K extends Criterion['kind']> = (criterion: Extract<Criterion, { kind: K }>, now: Date) => boolean

const yes = (): boolean => true
const no = (): boolean => false
/** Punctuation alone stands in every message: an address has its `@`, and `*` is no wildcard here but is meant as one. */
const says = (text: string): boolean => /[\p{L}\p{N}]/u.test(text) && !/^\s*ALL\s*$/.test(text)
const firstMail = Date.UTC(1971, 0, 1)

/**
 * THE TABLE: which criteria count as narrowing a change of whatever matches. Read by the guard below, and by whoever
 * explains it.
 */
export const narrowing: { readonly [K in Criterion['kind']]: Test<K> } = {
  all: no,
  // Nothing matches, so nothing is changed.
  none: yes,
  and: ({ of }, now) => of.some((part) => narrows(part, now)),
  or: ({ of }, now) => of.length > 0 && of.every((part) => narrows(part, now)),
  // A negation leaves everything but a little.
  not: no,
  text: ({ value }) => says(value),
  owner: yes,
  header: ({ value }) => says(value),
  flag: yes,
  keyword: yes,
  folder: no,
  larger: ({ bytes }) => bytes > 1,
  smaller: ({ bytes }) => bytes < 1_000_000_000,
  since: ({ at }) => at.getTime() >= firstMail,
  before: ({ at }, now) => at <= now,
  attachment: yes,
  filename: ({ value }) => says(value),
}

/** The same in one sentence, for descriptions and errors. */
export const narrowingInWords =
  'A folder, a negation, since before 1971, before in the future, larger 1 and text without a letter or digit do not count.'

function narrows(criterion: Criterion, now: Date): boolean {
  // Each kind finds the test that was written for it.
  const test = narrowing[criterion.kind] as (criterion: Criterion, now: Date) => boolean
  return test(criterion, now)
}

/**
 * Refuses to change whatever matches where that may be everything: in each folder the compiled criterion must hold
 * something that can exclude a message.
 * @throws empty_filter.
 */
export function requireNarrowing(
  { criterion, folderIds }: { readonly criterion: Criterion; readonly folderIds: readonly FolderId[] },
  now: Date,
): void {
  const places: readonly (FolderId | null)[] = folderIds.length === 0 ? [null] : folderIds
  if (places.every((folderId) => narrows(simplifyCriterion(criterion, folderId), now))) return
  throw new Fault('empty_filter', {
    public: `These filters may match every message, so nothing was changed. At least one must narrow them, such as from, subject, unread: true, has_attachment: true or before. ${narrowingInWords}`,
    details: { changed: false },
  })
}
