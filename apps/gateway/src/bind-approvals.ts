import {
  carryOutApproval,
  type ApprovalDeps,
  type ApprovalDirectory,
  type ApprovalShelf,
  type OperationLedger,
} from '@postern/access'
import { systemClock, type Log } from '@postern/core'
import { sendApproved, type ApprovedOutbox } from '@postern/outbox'
import {
  addApproval,
  closeApproval,
  findApprovalOf,
  getApproval,
  getInbox,
  getLivePrincipal,
  listDueApprovals,
  openHeld,
  withTenant,
  type DueApproval,
} from '@postern/store'
import { changeApproved, type ToolDeps } from '@postern/tools'
import type { Store } from './open-store.ts'
import type { Round } from './sweep.ts'

type ApprovalStore = Pick<Store, 'database' | 'keyRing'>

/** What waits for somebody to decide: put there, and told of. @param ownerUrl where members decide. */
export function bindApprovals(
  { database: db, keyRing }: ApprovalStore,
  ownerUrl: string,
): ApprovalDirectory & ApprovalShelf {
  const reviewUrl = (approvalId: string): string => `${ownerUrl}/approvals/${approvalId}`
  return {
    async hold(request) {
      const { tenantId } = request.operation
      const approvalId = await withTenant(db, tenantId, (trx) => addApproval(trx, keyRing, request))
      return { approvalId, reviewUrl: reviewUrl(approvalId), expiresAt: request.expiresAt }
    },
    async find({ tenantId, operationId }) {
      const now = systemClock.now()
      const found = await withTenant(db, tenantId, (trx) => findApprovalOf(trx, operationId, now))
      return found === null ? null : { ...found, reviewUrl: reviewUrl(found.approvalId) }
    },
  }
}

export interface ApprovalParts {
  readonly store: ApprovalStore
  readonly ledger: OperationLedger
  readonly outbox: ApprovedOutbox
  readonly toolDeps: ToolDeps
  readonly log: Log
}

/** The round that carries out what was decided. */
export function makeApprovalRound({ store, ledger, outbox, toolDeps, log }: ApprovalParts): Round {
  const { database: db, keyRing } = store
  const clock = systemClock
  const deps: ApprovalDeps = {
    ledger,
    principal: ({ tenantId, principalId }) =>
      withTenant(db, tenantId, (trx) => getLivePrincipal(trx, principalId, clock.now())),
    inbox: ({ tenantId, inboxId }) => withTenant(db, tenantId, (trx) => getInbox(trx, inboxId)),
    open: (approval) => withTenant(db, approval.tenantId, (trx) => openHeld(trx, keyRing, approval)),
    close: ({ tenantId, approvalId }) =>
      withTenant(db, tenantId, (trx) => closeApproval(trx, approvalId, clock.now())),
    perform: (work) =>
      work.approval.kind === 'send'
        ? sendApproved(work, { ledger, outbox, clock, log })
        : changeApproved(toolDeps, work, log),
  }
  const carryOut = async ({ tenantId, approvalId }: DueApproval): Promise<void> => {
    const approval = await withTenant(db, tenantId, (trx) => getApproval(trx, approvalId, clock.now()))
    if (!approval.isClosed) await carryOutApproval(approval, deps)
  }
  return () => roundOver(() => listDueApprovals(db, clock.now(), roundSize), carryOut)
}

const roundSize = 100
/** Carried out at once, beside what is called. */
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
