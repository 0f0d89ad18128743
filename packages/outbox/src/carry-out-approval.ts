import { holdsScopes, reachesInbox } from '@postern/access'
import type { InboxRecord, Json, Operation, OperationLedger, Principal, Settlement } from '@postern/access'
import { Fault, toFault, type Clock, type Log } from '@postern/core'
import type { RecipientOutcome, SendReceipt, WriteCall } from '@postern/mail'
import type { ApprovalRecord } from './approval.ts'
import { dispatch } from './dispatch.ts'
import type { HeldSend } from './held-send.ts'
import { outcomeOf } from './outcome-of.ts'
import type { ApprovedOutbox } from './submit.ts'

/** What is needed to carry out what was decided. */
export interface ApprovalDeps {
  readonly ledger: Pick<OperationLedger, 'resume' | 'enter' | 'settle'>
  readonly outbox: ApprovedOutbox
  /** As it may act now. @throws unauthenticated for a key that is revoked or expired. */
  readonly principal: (approval: ApprovalRecord) => Promise<Principal>
  /** @throws inbox_not_found. */
  readonly inbox: (approval: ApprovalRecord) => Promise<InboxRecord>
  /** @throws invalid_arguments when it is gone. */
  readonly open: (approval: ApprovalRecord) => Promise<HeldSend>
  /** Removes what was held. */
  readonly close: (approval: ApprovalRecord) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

const sendMs = 55_000

/**
 * Carries out what was decided of a held message, once, whoever else is at it: the ledger lets one process go on with
 * the write. Key, scopes, inbox and rules are those of now, and what goes out is what was approved.
 * @throws service_busy; then it is still due.
 */
export async function carryOutApproval(approval: ApprovalRecord, deps: ApprovalDeps): Promise<void> {
  // Before the write is taken over: whoever comes second removes what is held.
  const held = approval.status === 'approved' ? await openHeld(approval, deps) : null
  const operation = await deps.ledger.resume(approval)
  if (operation !== null) {
    const settlement = held === null ? refused(approval) : await send({ approval, operation, held }, deps)
    await deps.ledger.settle(operation, settlement, [])
  }
  await deps.close(approval)
}

/** What does not open will not open later either; a database that is away comes back. */
async function openHeld(approval: ApprovalRecord, { open }: ApprovalDeps): Promise<HeldSend | Fault> {
  try {
    return await open(approval)
  } catch (error) {
    const fault = toFault(error)
    if (fault.code === 'service_busy') throw fault
    return fault
  }
}

function refused({ status, approvalId }: ApprovalRecord): Settlement {
  return {
    outcome: 'not_sent',
    faultCode: status === 'expired' ? 'approval_expired' : null,
    result: { approval_id: approvalId },
  }
}

interface Work {
  readonly approval: ApprovalRecord
  readonly operation: Operation
  readonly held: HeldSend | Fault
}

async function send({ approval, operation, held }: Work, deps: ApprovalDeps): Promise<Settlement> {
  const { ledger, clock, log } = deps
  const call: WriteCall = {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + sendMs),
    log,
    enter: (stage) => ledger.enter(operation, stage),
  }
  try {
    if (held instanceof Fault) throw held
    const principal = await deps.principal(approval)
    const inbox = await deps.inbox(approval)
    requireMaySend(principal, inbox)
    const { draft, participants } = held
    const message = dispatch(held.message.octets, {
      now: clock.now(),
      token: approval.approvalId.slice('ap_'.length),
    })
    requireSame(message.sha256, approval)
    const outgoing = {
      principal,
      operation,
      inbox,
      message,
      draft,
      participants: () => Promise.resolve(participants),
    }
    return settlementOf(await deps.outbox.submitApproved(outgoing, call), approval)
  } catch (error) {
    // What throws has sent nothing.
    const fault = toFault(error)
    return { outcome: 'not_sent', faultCode: fault.code, result: { approval_id: approval.approvalId } }
  }
}

/** The grant may have been narrowed since. */
function requireMaySend(principal: Principal, { inboxId }: InboxRecord): void {
  if (!reachesInbox(principal, inboxId))
    throw new Fault('inbox_not_found', { public: 'The key no longer reaches this inbox. Nothing was sent.' })
  if (!holdsScopes(principal, [['send:email']]))
    throw new Fault('insufficient_scope', { public: 'The key may no longer send. Nothing was sent.' })
}

/** What was approved is frozen by its hash, whatever happened to where it was kept. */
function requireSame(sha256: string, approval: ApprovalRecord): void {
  if (sha256 === approval.sha256) return
  throw new Fault('internal_error', {
    public: 'The held message is not the one that was approved. Nothing was sent.',
    internal: 'held message: another hash than was approved',
  })
}

function settlementOf(receipt: SendReceipt, { approvalId }: ApprovalRecord): Settlement {
  const result: Readonly<Record<string, Json>> = {
    approval_id: approvalId,
    recipient_counts: countsOf(receipt.recipients),
    ...(receipt.outcome === 'sent'
      ? { sent_copy: { status: receipt.sentCopy.status, folder_id: receipt.sentCopy.folderId } }
      : {}),
  }
  const faultCode = receipt.outcome === 'sent' ? null : receipt.fault.code
  return { outcome: outcomeOf(receipt), faultCode, result }
}

function countsOf(recipients: readonly RecipientOutcome[]): Readonly<Record<string, number>> {
  const count = (wanted: RecipientOutcome['status']): number =>
    recipients.filter(({ status }) => status === wanted).length
  return { accepted: count('accepted'), rejected: count('rejected'), unknown: count('unknown') }
}
