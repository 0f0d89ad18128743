import type { ApprovalShelf, OperationLedger } from '@postern/access'
import type { ContactBook } from '@postern/contacts'
import { systemClock } from '@postern/core'
import type { InboxOpener } from '@postern/inboxes'
import { addressKey, createOutbox, type ApprovedOutbox, type Outbox } from '@postern/outbox'
import { getSendPolicy, takeSend, withTenant } from '@postern/store'
import type { Store } from './open-store.ts'

export interface OutboxParts {
  readonly store: Pick<Store, 'database'>
  readonly ledger: OperationLedger
  readonly opener: InboxOpener
  readonly approvals: ApprovalShelf
  readonly book: Pick<ContactBook, 'findByAddresses'>
}

/** The outbox over the store and the mailboxes. */
export function bindOutbox({ store, ledger, opener, approvals, book }: OutboxParts): Outbox & ApprovedOutbox {
  const { database: db } = store
  const clock = systemClock
  return createOutbox({
    ledger,
    policies: {
      get: ({ tenantId, inboxId }, principalId) =>
        withTenant(db, tenantId, (trx) => getSendPolicy(trx, inboxId, principalId)),
      takeSend: (operation, since, cap) =>
        withTenant(db, operation.tenantId, (trx) =>
          takeSend(trx, operation, { since, cap, now: clock.now() }),
        ),
    },
    approvals,
    openForSending: (inbox) => opener.open(inbox),
    hasWrittenTo: async ({ tenantId, inboxId }, email) => {
      const key = addressKey(email)
      // Of that inbox alone: whom another one writes to is no correspondent of this one.
      const scope = { tenantId, inboxIds: [inboxId], reachesAll: false }
      const card = (await book.findByAddresses(scope, [key])).get(key)
      return card?.addresses.some((one) => one.addressKey === key && one.out > 0) ?? false
    },
    clock,
  })
}
