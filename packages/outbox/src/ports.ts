import type { InboxRecord, Operation } from '@postern/access'
import type { SendPolicy } from './policy.ts'
import type { Signature } from './signature.ts'

/** The rules as the owner set them. */
export interface SendPolicies {
  get(inbox: InboxRecord, principalId: string): Promise<SendPolicy>
  /** As `SendLookups`, for the send of that operation. */
  takeSend(operation: Operation, since: Date, cap: number): Promise<boolean>
}

/** What the owner wants to stand below messages. */
export interface SignatureBook {
  /** Every signature of the inbox. One without an address is of all identities that have none of their own. */
  listSignatures(inbox: InboxRecord): Promise<readonly OwnSignature[]>
}

export interface OwnSignature extends Signature {
  /** The identity that signs so, in any case; null: whichever. */
  readonly email: string | null
}

/** Before owners can set any. */
export const noSignatures: SignatureBook = { listSignatures: () => Promise.resolve([]) }
