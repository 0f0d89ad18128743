import { Fault, toFault } from '@postern/core'
import type { ApprovalRecord, ApprovedWork } from './approval.ts'
import { reachesInbox } from './authorize.ts'
import type { InboxRecord } from './inbox-record.ts'
import type { OperationItem, Settlement } from './operation.ts'
import type { Outcome } from './outcome.ts'
import type { OperationLedger } from './ports.ts'
import type { Principal } from './principal.ts'

/** What came of something that was approved. */
export interface CarriedOut {
  readonly settlement: Settlement
  readonly items: readonly OperationItem[]
}

/** What is needed to carry out what was decided. */
export interface ApprovalDeps {
  readonly ledger: Pick<OperationLedger, 'resume' | 'settle'>
  /** As it may act now. @throws unauthenticated for a key that is revoked or expired. */
  readonly principal: (approval: ApprovalRecord) => Promise<Principal>
  /** @throws inbox_not_found. */
  readonly inbox: (approval: ApprovalRecord) => Promise<InboxRecord>
  /** @throws invalid_arguments when it is gone. */
  readonly open: (approval: ApprovalRecord) => Promise<Uint8Array>
  /** Removes what was held. */
  readonly close: (approval: ApprovalRecord) => Promise<void>
  /** Does what was approved, by the scopes and rules of now. What it throws has done nothing. */
  readonly perform: (work: ApprovedWork) => Promise<CarriedOut>
}

/**
 * Carries out what was decided of something held, once, whoever else is at it: the ledger lets one process go on with
 * the write. Key and inbox are those of now, and what is done is what was approved.
 * @throws service_busy; then it is still due.
 */
export async function carryOutApproval(approval: ApprovalRecord, deps: ApprovalDeps): Promise<void> {
  // Before the write is taken over: whoever comes second removes what is held.
  const held = approval.status === 'approved' ? await openHeld(approval, deps) : null
  const operation = await deps.ledger.resume(approval)
  if (operation !== null) {
    const work = { approval, operation }
    const { settlement, items } =
      held === null ? refused(approval, expiryOf(approval)) : await perform({ ...work, held }, deps)
    await deps.ledger.settle(operation, settlement, items)
  }
  await deps.close(approval)
}

/** What does not open will not open later either; a database that is away comes back. */
async function openHeld(approval: ApprovalRecord, { open }: ApprovalDeps): Promise<Uint8Array | Fault> {
  try {
    return await open(approval)
  } catch (error) {
    const fault = toFault(error)
    if (fault.code === 'service_busy') throw fault
    return fault
  }
}

async function perform(
  {
    approval,
    operation,
    held,
  }: Pick<ApprovedWork, 'approval' | 'operation'> & { readonly held: Uint8Array | Fault },
  deps: ApprovalDeps,
): Promise<CarriedOut> {
  try {
    if (held instanceof Fault) throw held
    const principal = await deps.principal(approval)
    const inbox = await deps.inbox(approval)
    requireReach(principal, inbox)
    const { settlement, items } = await deps.perform({ approval, operation, principal, inbox, held })
    const result = { approval_id: approval.approvalId, ...settlement.result }
    return { settlement: { ...settlement, result }, items }
  } catch (error) {
    return refused(approval, toFault(error).code)
  }
}

/** The grant may have been narrowed since. */
function requireReach(principal: Principal, { inboxId }: InboxRecord): void {
  if (!reachesInbox(principal, inboxId))
    throw new Fault('inbox_not_found', { public: 'The key no longer reaches this inbox. Nothing was done.' })
}

function expiryOf({ status }: ApprovalRecord): Settlement['faultCode'] {
  return status === 'expired' ? 'approval_expired' : null
}

function refused({ approvalId, kind }: ApprovalRecord, faultCode: Settlement['faultCode']): CarriedOut {
  const outcome: Outcome = kind === 'send' ? 'not_sent' : 'failed'
  return { settlement: { outcome, faultCode, result: { approval_id: approvalId } }, items: [] }
}
