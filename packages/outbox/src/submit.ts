import type {
  ApprovalShelf,
  HeldApproval,
  InboxRecord,
  Operation,
  OperationLedger,
  Principal,
} from '@postern/access'
import type { Clock } from '@postern/core'
import type { ComposedMessage, DraftRef, ReadMail, SendMail, SendReceipt, WriteCall } from '@postern/mail'
import { isKnownCorrespondent } from './is-known-correspondent.ts'
import { listIdentities } from './list-identities.ts'
import { checkSend, type SendPolicy } from './policy.ts'
import { packHeldSend } from './held-send.ts'
import type { SendPolicies } from './ports.ts'

/** A message that is ready to go: whose, from where, and what it answers. */
export interface Outgoing {
  readonly principal: Principal
  /** Its row in the ledger, claimed by this process. */
  readonly operation: Operation
  readonly inbox: InboxRecord
  readonly message: ComposedMessage
  /** The stored draft that is sent, which goes once it is accepted; null for a message that is none. */
  readonly draft: DraftRef | null
  /**
   * Addresses of everyone named in the conversation that is answered; none for a message that begins one. They may cost
   * a search: asked only where a rule needs them, and of what is held. @throws provider_*, timeout.
   */
  readonly participants: () => Promise<readonly string[]>
}

/** What became of a message that was handed over. */
export type Submitted =
  | { readonly kind: 'answered'; readonly receipt: SendReceipt }
  /** Frozen until somebody decides; nothing was sent. */
  | { readonly kind: 'held'; readonly approval: HeldApproval }

/** The one way out of the house. */
export interface Outbox {
  /**
   * Judges a message by the rules of its inbox and key, holds it where somebody has to approve, else submits it, once.
   * The Message-ID is in the ledger before an octet leaves.
   * @throws sender_not_allowed, recipient_not_allowed, send_cap_reached, compose_failed, as `SendMail`; then nothing
   * was sent.
   */
  submit(outgoing: Outgoing, call: WriteCall): Promise<Submitted>
}

/** What follows an approval. No tool is given this one. */
export interface ApprovedOutbox {
  /**
   * The same for a message that was approved: judged again, by the rules of now, and not held again.
   * @throws as `submit`.
   */
  submitApproved(outgoing: Outgoing, call: WriteCall): Promise<SendReceipt>
}

export interface OutboxDeps {
  readonly ledger: Pick<OperationLedger, 'note'>
  readonly policies: SendPolicies
  readonly approvals: ApprovalShelf
  /** Dials nothing yet. @throws inbox_reconnect_required, inbox_disabled. */
  readonly openForSending: (inbox: InboxRecord) => Promise<ReadMail & SendMail>
  /** Whether the contact book has counted mail of the owner to the address in that inbox; no is no answer. */
  readonly hasWrittenTo: (inbox: InboxRecord, email: string) => Promise<boolean>
  readonly clock: Clock
}

/** How long somebody has to decide. */
const approvalMs = 24 * 3_600_000

export function createOutbox(deps: OutboxDeps): Outbox & ApprovedOutbox {
  return {
    async submit(outgoing, call) {
      const policy = await judge(outgoing, deps, call)
      if (policy.needsApproval) return { kind: 'held', approval: await hold(outgoing, deps) }
      return { kind: 'answered', receipt: await send(outgoing, deps, call) }
    },
    async submitApproved(outgoing, call) {
      await judge(outgoing, deps, call)
      return send(outgoing, deps, call)
    },
  }
}

/** @throws what `checkSend` does. */
async function judge(outgoing: Outgoing, deps: OutboxDeps, call: WriteCall): Promise<SendPolicy> {
  const { principal, operation, inbox, message } = outgoing
  await call.enter('policy')
  const policy = await deps.policies.get(inbox, principal.principalId)
  const isAsked = policy.rules.some(({ kind }) => kind === 'thread_participants')
  const participants = isAsked ? await outgoing.participants() : []
  const identities = listIdentities(inbox)
  const own = identities.map(({ email }) => email)
  await checkSend({ message, identities, participants, now: deps.clock.now() }, policy, {
    // Counted is known; of mail that is not counted yet, Sent itself is asked.
    isKnownCorrespondent: async (email) =>
      (await deps.hasWrittenTo(inbox, email)) ||
      isKnownCorrespondent(await deps.openForSending(inbox), email, own, call),
    takeSend: (since, cap) => deps.policies.takeSend(operation, since, cap),
  })
  return policy
}

async function hold(outgoing: Outgoing, { approvals, clock }: OutboxDeps): Promise<HeldApproval> {
  const { operation, inbox, message, draft, participants } = outgoing
  const heldAt = clock.now()
  const expiresAt = new Date(heldAt.getTime() + approvalMs)
  // The rules of the day when it is approved may ask for them, and the conversation may have changed by then.
  const held = packHeldSend({ message, draft, participants: await participants() })
  const { inboxId } = inbox
  return approvals.hold({
    operation,
    inboxId,
    kind: 'send',
    sha256: message.sha256,
    held,
    heldAt,
    expiresAt,
  })
}

async function send(
  { operation, inbox, message, draft }: Outgoing,
  { ledger, openForSending }: OutboxDeps,
  call: WriteCall,
): Promise<SendReceipt> {
  const mail = await openForSending(inbox)
  ledger.note(operation, { rfcMessageId: message.rfcMessageId })
  return draft === null ? mail.sendMessage(message, call) : mail.sendDraft(draft, message, call)
}
