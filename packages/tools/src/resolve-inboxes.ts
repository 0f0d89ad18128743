import { Fault } from '@postern/core'
import type { InboxRecord } from '@postern/access'
import { fitItems } from './budget.ts'
import type { Action } from './define-tool.ts'

/** Inboxes one call may fan out to. */
const maxFanOut = 20
/** Inboxes an `inbox_required` lists before it only counts, and what they may cost of an error's 400 tokens. */
const maxListed = 20
const maxListedTokens = 300

export interface ChosenInboxes {
  readonly inboxes: readonly InboxRecord[]
  readonly skipped: number
}

/**
 * Which inboxes a call works on. `reachable` is what the grant reaches and nothing else, so an ungranted,
 * a foreign and an unknown inbox cannot be told apart: none of them is in it.
 * @throws inbox_required, inbox_not_found, conflicting_arguments.
 */
export function resolveInboxes(
  action: Action,
  given: { readonly inboxId: string | null; readonly inbox: string | null },
  reachable: readonly InboxRecord[],
  context: { readonly ownerUrl: string; readonly note: (sentence: string) => void },
): ChosenInboxes {
  if (action.target === 'key') return { inboxes: [], skipped: 0 }
  if (given.inboxId !== null || given.inbox !== null)
    return { inboxes: [named(given, reachable, context.note)], skipped: 0 }
  if (action.target === 'book') return { inboxes: [], skipped: 0 }
  const [first, second] = reachable
  if (first === undefined) {
    throw new Fault('inbox_not_found', {
      public: `No inbox is connected for this key, so nothing was done. The owner connects one at ${context.ownerUrl}.`,
      details: { reason: 'none_connected' },
    })
  }
  if (second === undefined) return { inboxes: [first], skipped: 0 }
  if (action.target === 'inboxes')
    return { inboxes: reachable.slice(0, maxFanOut), skipped: Math.max(0, reachable.length - maxFanOut) }
  throw inboxRequired(reachable)
}

function named(
  { inboxId, inbox }: { readonly inboxId: string | null; readonly inbox: string | null },
  reachable: readonly InboxRecord[],
  note: (sentence: string) => void,
): InboxRecord {
  const byId =
    inboxId === null ? null : reachable.find((candidate) => candidate.inboxId === inboxId.toLowerCase())
  const byAddress = inbox === null ? null : findByAddress(reachable, inbox)
  if (byId === undefined || byAddress === undefined) throw notFound()
  if (byId !== null && byAddress !== null) {
    if (byId.inboxId !== byAddress.inboxId) {
      throw new Fault('conflicting_arguments', {
        public: 'inbox and inbox_id name two different inboxes; one of them is enough. Nothing was done.',
        details: { argument: 'inbox' },
      })
    }
    note('inbox and inbox_id were both given and agree; one is enough.')
  }
  const chosen = byId ?? byAddress
  if (chosen === null) throw notFound()
  return chosen
}

function findByAddress(reachable: readonly InboxRecord[], address: string): InboxRecord | undefined {
  const wanted = address.toLowerCase()
  return (
    reachable.find(({ emailAddress }) => emailAddress.toLowerCase() === wanted) ??
    reachable.find(({ aliases }) => aliases.some((alias) => alias.toLowerCase() === wanted))
  )
}

function notFound(): Fault {
  return new Fault('inbox_not_found', {
    public:
      'That inbox is not available to this key; inbox_list shows the inboxes that are. Nothing was done.',
    details: { argument: 'inbox' },
  })
}

function inboxRequired(reachable: readonly InboxRecord[]): Fault {
  const named = reachable
    .slice(0, maxListed)
    .map(({ inboxId, emailAddress }) => ({ inbox_id: inboxId, email_address: emailAddress }))
  const listed = fitItems(named, maxListedTokens)
  const more = reachable.length - listed.length
  return new Fault('inbox_required', {
    public: `This key reaches ${reachable.length} inboxes and this call works on one: inbox_id or inbox says which.${more > 0 ? ` ${more} more are not listed here; inbox_list shows all.` : ''} Nothing was done.`,
    details: { inboxes: listed, ...(more > 0 ? { more } : {}) },
  })
}
