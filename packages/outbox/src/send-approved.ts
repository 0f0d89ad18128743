import { holdsScopes } from '@postern/access'
import type {
  ApprovalRecord,
  ApprovedWork,
  CarriedOut,
  Json,
  OperationLedger,
  Principal,
  Settlement,
} from '@postern/access'
import { Fault, type Clock, type Log } from '@postern/core'
import type { RecipientOutcome, SendReceipt, WriteCall } from '@postern/mail'
import { dispatch } from './dispatch.ts'
import { unpackHeldSend } from './held-send.ts'
import { outcomeOf } from './outcome-of.ts'
import type { ApprovedOutbox } from './submit.ts'

export interface SendApprovedDeps {
  readonly ledger: Pick<OperationLedger, 'enter'>
  readonly outbox: ApprovedOutbox
  readonly clock: Clock
  readonly log: Log
}

const sendMs = 55_000

/**
 * Lets a message go that was approved, under the rules of now; what goes out is what was approved.
 * @throws insufficient_scope, internal_error when it is not what was approved, as `submitApproved`; then nothing was
 * sent.
 */
export async function sendApproved(
  { approval, operation, principal, inbox, held }: ApprovedWork,
  { ledger, outbox, clock, log }: SendApprovedDeps,
): Promise<CarriedOut> {
  requireMaySend(principal)
  const call: WriteCall = {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + sendMs),
    log,
    enter: (stage) => ledger.enter(operation, stage),
  }
  const { message: frozen, draft, participants } = unpackHeldSend(held)
  const message = dispatch(frozen.octets, {
    now: clock.now(),
    token: approval.approvalId.slice('ap_'.length),
  })
  requireSame(message.sha256, approval)
  const receipt = await outbox.submitApproved(
    { principal, operation, inbox, message, draft, participants: () => Promise.resolve(participants) },
    call,
  )
  return { settlement: settlementOf(receipt), items: [] }
}

/** The grant may have been narrowed since. */
function requireMaySend(principal: Principal): void {
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

function settlementOf(receipt: SendReceipt): Settlement {
  const result: Readonly<Record<string, Json>> = {
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
