import type { Criterion, Degraded } from '@postern/mail'

/** Messages of one search that may be fetched to be checked here. */
const maxChecks = 2_000

/** What one search has learned and used up on its way through the folders. */
export interface SearchState {
  readonly criterion: Criterion
  readonly ownAddresses: readonly string[]
  checksLeft: number
  /** The server refused UTF-8 once; it is not asked again. */
  isAsciiOnly: boolean
  isLocalLimited: boolean
  isCharsetDegraded: boolean
}

export function startSearch(criterion: Criterion, ownAddresses: readonly string[]): SearchState {
  return {
    criterion,
    ownAddresses,
    checksLeft: maxChecks,
    isAsciiOnly: false,
    isLocalLimited: false,
    isCharsetDegraded: false,
  }
}

/** Why a search that went this way may have missed something. */
export function degradedOf({ isCharsetDegraded, isLocalLimited }: SearchState): readonly Degraded[] {
  const degraded: Degraded[] = []
  if (isCharsetDegraded) degraded.push('charset')
  if (isLocalLimited) degraded.push('local_limit')
  return degraded
}
