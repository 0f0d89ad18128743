import type { ReadMail } from '@postern/mail'
import type { ContractMailbox } from './mailbox.ts'

/** What the groups about sending need. */
export interface SendingMailbox extends ContractMailbox {
  readonly post: ContractPost
}

/** What can go wrong on the way out. */
export type Disturbance =
  /** The submission server is not reached. */
  | 'no_connection'
  /** It has the whole message and refuses it with a reply of 5xx. */
  | 'message_refused'
  /** It has the whole message, and the connection ends before its last reply: delivered, or not. */
  | 'answer_lost_delivered'
  | 'answer_lost_undelivered'
  /** The message is sent; the sender's copy is not stored. */
  | 'copy_refused'

/** The way out of the mailbox, and whom it reaches. */
export interface ContractPost {
  /** Another mailbox: what is sent to `address` arrives in its INBOX, within 20 seconds. */
  readonly other: { readonly address: string; readonly adapter: ReadMail }
  /** The submission server refuses it by a reply of 5xx to RCPT. */
  readonly refusedAddress: string
  /** What each submission meets from now on; null ends it. */
  disturb(what: Disturbance | null): Promise<void>
}

export type MakeSendingMailbox = () => Promise<SendingMailbox>
