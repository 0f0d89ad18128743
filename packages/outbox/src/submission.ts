import type { InboxRecord, Operation, Principal } from '@postern/access'
import type { ComposedMessage, DraftRef, SendReceipt, WriteCall } from '@postern/mail'

/** A message that is ready to go: whose, from where, and what it answers. */
export interface Outgoing {
  readonly principal: Principal
  /** Its row in the ledger, claimed by this process. */
  readonly operation: Operation
  readonly inbox: InboxRecord
  readonly message: ComposedMessage
  /** The stored draft that is sent, which goes once it is accepted; null for a message that is none. */
  readonly draft: DraftRef | null
  /** Addresses of everyone named in the conversation that is answered; empty for a message that begins one. */
  readonly participants: readonly string[]
}

/** What became of a message that was handed over. */
export type Submitted =
  | { readonly kind: 'answered'; readonly receipt: SendReceipt }
  /** Frozen until somebody decides; nothing was sent. */
  | { readonly kind: 'held'; readonly approval: HeldApproval }

export interface HeldApproval {
  readonly approvalId: string
  /** Where a member decides. */
  readonly reviewUrl: string
  readonly expiresAt: Date
}

/** The one way out of the house. */
export interface Outbox {
  /**
   * Judges a message by the rules of its inbox and key, holds it where a member has to approve, else submits it, once.
   * The Message-ID is in the ledger before an octet leaves.
   * @throws sender_not_allowed, recipient_not_allowed, send_cap_reached, compose_failed, as `SendMail`; then nothing was sent.
   */
  submit(outgoing: Outgoing, call: WriteCall): Promise<Submitted>
}
