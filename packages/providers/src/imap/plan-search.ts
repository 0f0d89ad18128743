import { simplifyCriterion, type Criterion, type FolderId, type TextField } from '@postern/mail'

/**
 * How one folder is searched. The server finds candidates, which are all of the matches and perhaps more; where
 * `residual` is not null, candidates that are in doubt are checked here.
 */
export interface SearchPlan {
  /** For the server; `none` when nothing in this folder can match. */
  readonly candidates: Criterion
  /** What a candidate in doubt must satisfy; null when every candidate is a match. */
  readonly residual: Criterion | null
  /** For the server: which candidates are in doubt. Null: all of them. */
  readonly doubtful: Criterion | null
  /** Parts of `residual`, the same objects, that only the server can decide. */
  readonly subqueries: readonly Criterion[]
  /** What a check has to fetch, beside INTERNALDATE. */
  readonly needs: { readonly structure: boolean; readonly headers: boolean }
  /** Text that the server cannot be asked for was left out: matches may be missing. */
  readonly isCharsetDegraded: boolean
}

const dayMs = 86_400_000

/**
 * Divides a criterion between server and client. Dates are asked of the server a day wider each way, because SEARCH
 * compares calendar days in a zone of the server's own (RFC 3501 6.4.4), and checked against INTERNALDATE.
 * @param isAsciiOnly the server knows no charset but ASCII: other text is compared here where it stands in headers.
 */
export function planSearch(criterion: Criterion, folderId: FolderId, isAsciiOnly: boolean): SearchPlan {
  const isLocal = (leaf: Criterion): boolean =>
    leaf.kind === 'since' ||
    leaf.kind === 'before' ||
    leaf.kind === 'attachment' ||
    leaf.kind === 'filename' ||
    (isAsciiOnly && isHeaderText(leaf) && !isAscii(leaf.value))

  const simple = simplifyCriterion(criterion, folderId)
  const asked = isAsciiOnly ? simplifyCriterion(dropBodyText(simple, true), folderId) : simple
  const conjuncts = asked.kind === 'and' ? asked.of : [asked]
  const exact = conjuncts.filter((part) => !hasLeaf(part, isLocal))
  const inexact = conjuncts.filter((part) => hasLeaf(part, isLocal))
  const base = {
    needs: {
      structure: inexact.some((part) =>
        hasLeaf(part, ({ kind }) => kind === 'attachment' || kind === 'filename'),
      ),
      headers: inexact.some((part) => hasLeaf(part, (leaf) => isLocal(leaf) && isHeaderText(leaf))),
    },
    isCharsetDegraded: isAsciiOnly && hasLeaf(simple, isUnsearchable),
  }
  if (inexact.length === 0) {
    return { ...base, candidates: asked, residual: null, doubtful: null, subqueries: [] }
  }
  const residual: Criterion = { kind: 'and', of: inexact }
  const atMost = bound(residual, true, isLocal)
  const atLeast = simplifyCriterion(bound(residual, false, isLocal), folderId)
  const isAllDoubtful = atLeast.kind === 'none'
  return {
    ...base,
    candidates: simplifyCriterion({ kind: 'and', of: [...exact, atMost] }, folderId),
    residual,
    doubtful: isAllDoubtful
      ? null
      : simplifyCriterion({ kind: 'and', of: [atMost, { kind: 'not', of: atLeast }] }, folderId),
    subqueries: inexact.flatMap((part) => serverParts(part, isLocal)),
  }
}

const headerFields: ReadonlySet<TextField> = new Set(['from', 'to', 'cc', 'bcc', 'subject'])

function isHeaderText(leaf: Criterion): leaf is Extract<Criterion, { kind: 'text' | 'header' }> {
  return leaf.kind === 'header' || (leaf.kind === 'text' && headerFields.has(leaf.field))
}

function isAscii(text: string): boolean {
  return /^[\x00-\x7f]*$/.test(text)
}

function hasLeaf(criterion: Criterion, isWanted: (leaf: Criterion) => boolean): boolean {
  if (criterion.kind === 'and' || criterion.kind === 'or') {
    return criterion.of.some((part) => hasLeaf(part, isWanted))
  }
  return criterion.kind === 'not' ? hasLeaf(criterion.of, isWanted) : isWanted(criterion)
}

/** Replaces the leaves, told for each whether it stands where making it wider makes the whole wider. */
function mapLeaves(
  criterion: Criterion,
  isPositive: boolean,
  map: (leaf: Criterion, isPositive: boolean) => Criterion,
): Criterion {
  if (criterion.kind === 'and' || criterion.kind === 'or') {
    return { kind: criterion.kind, of: criterion.of.map((part) => mapLeaves(part, isPositive, map)) }
  }
  if (criterion.kind === 'not') return { kind: 'not', of: mapLeaves(criterion.of, !isPositive, map) }
  return map(criterion, isPositive)
}

/** A criterion of server leaves only that holds whenever this one does (`isUpper`), or only when it does. */
function bound(criterion: Criterion, isUpper: boolean, isLocal: (leaf: Criterion) => boolean): Criterion {
  return mapLeaves(criterion, isUpper, (leaf, isWide) => {
    if (leaf.kind === 'since') return dayBound(leaf.kind, leaf.at, isWide ? -dayMs : dayMs)
    if (leaf.kind === 'before') return dayBound(leaf.kind, leaf.at, isWide ? dayMs : -dayMs)
    if (!isLocal(leaf)) return leaf
    return { kind: isWide ? 'all' : 'none' }
  })
}

// Mail is not older, and SEARCH has four digits for the year (RFC 3501 9).
const firstDay = Date.UTC(1971, 0, 1)
const lastDay = Date.UTC(2999, 11, 31)

/** The day boundary at or beyond the shifted instant, in the direction of the shift. */
function dayBound(kind: 'since' | 'before', at: Date, shiftMs: number): Criterion {
  const days = (at.getTime() + shiftMs) / dayMs
  const day = (shiftMs < 0 ? Math.floor(days) : Math.ceil(days)) * dayMs
  if (day < firstDay) return { kind: kind === 'since' ? 'all' : 'none' }
  if (day > lastDay) return { kind: kind === 'since' ? 'none' : 'all' }
  return { kind, at: new Date(day) }
}

/** Largest parts without a local leaf: each is one SEARCH when the rest is decided here. */
function serverParts(criterion: Criterion, isLocal: (leaf: Criterion) => boolean): readonly Criterion[] {
  if (!hasLeaf(criterion, isLocal)) return [criterion]
  if (criterion.kind === 'and' || criterion.kind === 'or') {
    return criterion.of.flatMap((part) => serverParts(part, isLocal))
  }
  return criterion.kind === 'not' ? serverParts(criterion.of, isLocal) : []
}

/** Text beyond ASCII that would have to be found in bodies. */
function isUnsearchable(leaf: Criterion): boolean {
  return leaf.kind === 'text' && !headerFields.has(leaf.field) && !isAscii(leaf.value)
}

/** Such text decides against a message wherever it stands: a match may be missed, none is made up. */
function dropBodyText(criterion: Criterion, isPositive: boolean): Criterion {
  return mapLeaves(criterion, isPositive, (leaf, isWide) =>
    isUnsearchable(leaf) ? { kind: isWide ? 'none' : 'all' } : leaf,
  )
}
