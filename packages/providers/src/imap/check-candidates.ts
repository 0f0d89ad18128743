import { mapInTurns } from '@postern/core'
import { matchMessage, type Criterion } from '@postern/mail'
import { fetchFacts, type Facts } from './fetch-facts.ts'
import type { SearchPlan } from './plan-search.ts'
import { requireSearch, type FoundUids, type Searcher } from './run-search.ts'
import type { SearchState } from './search-state.ts'
import { trimByDate, type DateCriterion } from './trim-by-date.ts'

/** What is left to decide of candidates that the server has found. */
export interface Check {
  /** Those of these candidates that are matches, in the order given. */
  filter(uids: readonly number[]): Promise<readonly number[]>
}

/**
 * The check of a plan, ready for any part of its candidates. Candidates that need more than their date are counted
 * against the limit of the search; behind it they are passed over, and the state says so.
 */
export async function prepareCheck(
  searcher: Searcher,
  state: SearchState,
  { plan, found }: { plan: SearchPlan; found: FoundUids },
): Promise<Check> {
  const { residual, needs } = plan
  if (residual === null) return { filter: async (uids) => uids }
  const dates = datesOf(residual)
  if (dates !== null && found.isSorted) return { filter: (uids) => trimByDate(searcher.mailbox, uids, dates) }

  const inDoubt = plan.doubtful === null ? null : await uidsOf(searcher, plan.doubtful)
  const decided = new Map<Criterion, ReadonlySet<number>>()
  for (const part of plan.subqueries) decided.set(part, await uidsOf(searcher, part))
  const isCounted = needs.structure || needs.headers
  const filter = async (uids: readonly number[]): Promise<readonly number[]> => {
    const doubtful = inDoubt === null ? uids : uids.filter((uid) => inDoubt.has(uid))
    const checked = isCounted ? doubtful.slice(0, state.checksLeft) : doubtful
    if (isCounted) state.checksLeft -= checked.length
    if (checked.length < doubtful.length) state.isLocalLimited = true
    const facts = await fetchFacts(searcher.mailbox, checked, needs)
    const isMatch = (uid: number): boolean => {
      const known = facts.get(uid)
      return known !== undefined && decide(residual, { uid, facts: known, decided, state })
    }
    const isDoubtful = new Set(doubtful)
    // Each may have a header as long as its sender liked.
    const kept = await mapInTurns(uids, (uid) => !isDoubtful.has(uid) || isMatch(uid))
    return uids.filter((_, index) => kept[index])
  }
  return { filter }
}

/** The dates of a criterion that asks for nothing else, or null. */
export function datesOf(criterion: Criterion | null): readonly DateCriterion[] | null {
  if (criterion?.kind === 'since' || criterion?.kind === 'before') return [criterion]
  if (criterion?.kind !== 'and') return null
  const dates = criterion.of.filter((part) => part.kind === 'since' || part.kind === 'before')
  return dates.length === criterion.of.length ? dates : null
}

async function uidsOf(searcher: Searcher, criterion: Criterion): Promise<ReadonlySet<number>> {
  return new Set((await requireSearch(searcher, criterion, false)).uids)
}

interface Candidate {
  readonly uid: number
  readonly facts: Facts
  readonly decided: ReadonlyMap<Criterion, ReadonlySet<number>>
  readonly state: SearchState
}

function decide(criterion: Criterion, candidate: Candidate): boolean {
  const known = candidate.decided.get(criterion)
  if (known !== undefined) return known.has(candidate.uid)
  if (criterion.kind === 'and') return criterion.of.every((part) => decide(part, candidate))
  if (criterion.kind === 'or') return criterion.of.some((part) => decide(part, candidate))
  if (criterion.kind === 'not') return !decide(criterion.of, candidate)
  return matchMessage(criterion, { ...unknownFacts, ...candidate.facts }, candidate.state.ownAddresses)
}

/** What no criterion that is decided here asks for. */
const unknownFacts = {
  folderId: '',
  labels: [],
  flags: { seen: false, answered: false, flagged: false, draft: false },
  sizeBytes: null,
} as const
