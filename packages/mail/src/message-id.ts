import type { Signer } from '@postern/core'
import type { MessageRef } from './message.ts'
import { openSealedRef, sealRef } from './sealed-ref.ts'

/** The `m_` id of a message of that inbox, at most 52 characters. */
export function sealMessageId(signer: Signer, inboxId: string, ref: MessageRef): string {
  return sealRef(signer, 'message', inboxId, ref)
}

/** The ref inside an id of this inbox, or null: mistyped, foreign and forged ids look alike. */
export function openMessageId(signer: Signer, inboxId: string, messageId: string): MessageRef | null {
  return openSealedRef(signer, 'message', inboxId, messageId)
}
