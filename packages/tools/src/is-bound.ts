import type { Principal } from '@postern/access'

/** A key of exactly one inbox: which one a call means is no question, so it is not shown the parameters. */
export function isBound({ grant }: Principal): boolean {
  return grant.inboxIds?.length === 1
}
