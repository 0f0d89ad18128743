import type { OperationLedger } from '@postern/access'
import { systemClock, type Log } from '@postern/core'
import type { InboxOpener } from '@postern/inboxes'
import {
  carryOutApproval,
  createOutbox,
  type ApprovalDeps,
  type ApprovalDirectory,
  type Outbox,
} from '@postern/outbox'
import {
  addApproval,
  closeApproval,
  findApprovalOf,
  getApproval,
  getInbox,
  getInboxPolicy,
  getLivePrincipal,
  listDueApprovals,
  openHeldSend,
  takeSend,
  withTenant,
  type DueApproval,
} from '@postern/store'
import type { Round } from './sweep.ts'
import type { Store } from './open-store.ts'

export interface OutboxParts {
  readonly store: Pick<Store, 'database' | 'keyRing'>
  readonly ledger: OperationLedger
  readonly opener: InboxOpener
  /** Where members decide. */
  readonly ownerUrl: string
  readonly log: Log
}

/** The outbox over the store and the mailboxes, and the round that carries out what was decided. */
export function bindOutbox({ store, ledger, opener, ownerUrl, log }: OutboxParts): {
  readonly outbox: Outbox
  readonly approvals: ApprovalDirectory
  readonly round: Round
} {
  const { database: db, keyRing } = store
  const clock = systemClock
  const reviewUrl = (approvalId: string): string => `${ownerUrl}/approvals/${approvalId}`
  const outbox = createOutbox({
    ledger,
    policies: {
      get: ({ tenantId, inboxId }, principalId) =>
        withTenant(db, tenantId, (trx) => getInboxPolicy(trx, inboxId, principalId)),
      takeSend: (operation, since, cap) =>
        withTenant(db, operation.tenantId, (trx) =>
          takeSend(trx, operation, { since, cap, now: clock.now() }),
        ),
    },
    approvals: {
      hold: (request) =>
        withTenant(db, request.operation.tenantId, (trx) => addApproval(trx, keyRing, request)),
    },
    openForSending: (inbox) => opener.open(inbox),
    clock,
    reviewUrl,
  })
  const deps: ApprovalDeps = {
    ledger,
    outbox,
    principal: ({ tenantId, principalId }) =>
      withTenant(db, tenantId, (trx) => getLivePrincipal(trx, principalId, clock.now())),
    inbox: ({ tenantId, inboxId }) => withTenant(db, tenantId, (trx) => getInbox(trx, inboxId)),
    open: (approval) => withTenant(db, approval.tenantId, (trx) => openHeldSend(trx, keyRing, approval)),
    close: ({ tenantId, approvalId }) =>
      withTenant(db, tenantId, (trx) => closeApproval(trx, approvalId, clock.now())),
    clock,
    log,
  }
  const carryOut = async ({ tenantId, approvalId }: DueApproval): Promise<void> => {
    const approval = await withTenant(db, tenantId, (trx) => getApproval(trx, approvalId, clock.now()))
    if (!approval.isClosed) await carryOutApproval(approval, deps)
  }
  const approvals: ApprovalDirectory = {
    async find({ tenantId, operationId }) {
      const found = await withTenant(db, tenantId, (trx) => findApprovalOf(trx, operationId, clock.now()))
      return found === null ? null : { ...found, reviewUrl: reviewUrl(found.approvalId) }
    },
  }
  return {
    outbox,
    approvals,
    round: () => roundOver(() => listDueApprovals(db, clock.now(), roundSize), carryOut),
  }
}

const roundSize = 100
/** Messages on their way at once, beside those of the calls. */
const atOnce = 4

async function roundOver(
  list: () => Promise<readonly DueApproval[]>,
  carryOut: (due: DueApproval) => Promise<void>,
): Promise<boolean> {
  const waiting = (await list()).values()
  let taken = 0
  const work = async (): Promise<void> => {
    for (const due of waiting) {
      taken += 1
      await carryOut(due)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return taken === roundSize
}
