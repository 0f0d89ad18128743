import type { Signer } from '@postern/core'
import type { DraftRef } from './draft.ts'
import { openSealedRef, sealRef } from './sealed-ref.ts'

/** The `d_` id of a draft of that inbox, at most 52 characters. */
export function sealDraftId(signer: Signer, inboxId: string, { ref }: DraftRef): string {
  return sealRef(signer, 'draft', inboxId, ref)
}

/** The draft inside an id of this inbox, or null: mistyped, foreign and forged ids look alike, and so do ids of messages. */
export function openDraftId(signer: Signer, inboxId: string, draftId: string): DraftRef | null {
  const ref = openSealedRef(signer, 'draft', inboxId, draftId)
  return ref === null ? null : { ref }
}
