import type { BookScope } from '@postern/contacts'
import type { ActionContext } from '../define-tool.ts'

/** What of the book a call sees: the inbox that it names, or all that the key reaches. */
export function bookScope({ inboxes, principal, reachable }: ActionContext): BookScope {
  const isNamed = inboxes.length > 0
  return {
    tenantId: principal.tenantId,
    inboxIds: (isNamed ? inboxes : reachable).map(({ inboxId }) => inboxId),
    reachesAll: !isNamed && principal.grant.inboxIds === null,
  }
}
