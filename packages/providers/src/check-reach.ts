import { Fault } from '@postern/core'
import type { PageRequest } from '@postern/mail'

/** Rows that a page may lie deep: what is before it has to be found and ordered each time. */
export const maxReach = 10_000

/** @throws query_too_broad for a page beyond the reach of offsets. */
export function checkReach({ offset, limit }: PageRequest): void {
  const count = offset + limit
  if (count <= maxReach) return
  throw new Fault('query_too_broad', {
    public:
      `offset and limit reach to row ${count}; pages reach to row ${maxReach}. ` +
      'Narrow the search, or go on with the cursor of the page before.',
    details: { count, limit: maxReach },
  })
}
