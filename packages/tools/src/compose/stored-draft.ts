import type { DraftRef, Message, ReadMail } from '@postern/mail'
import { Fault } from '@postern/core'
import type { ActionContext } from '../define-tool.ts'
import { draftStale, requireDraftRef } from '../draft-ids.ts'
import { collect } from './collect.ts'
import { fetchSource } from './fetch-source.ts'

/** Base64 makes four octets of three, and 25 MB of files may be in a draft. */
const maxDraftBytes = 40 * 1024 * 1024

/** A draft as it is stored now. */
export interface StoredDraft {
  readonly draft: DraftRef
  readonly message: Message
}

/**
 * The draft that an id stands for, at its place and marked as one: whatever was found elsewhere is another.
 * @throws draft_not_found, inbox_mismatch, draft_stale, what the mail server failed at.
 */
export async function findDraft(
  draftId: string,
  mail: ReadMail,
  context: ActionContext,
): Promise<StoredDraft> {
  const draft = requireDraftRef(draftId, context)
  const [found] = await mail.getMessages([draft.ref], context.call)
  if (found === undefined) throw draftStale(draftId)
  if (!found.isFound) throw found.fault.code === 'message_not_found' ? draftStale(draftId) : found.fault
  const { value: message } = found
  const isInPlace = Buffer.compare(message.ref.locator, draft.ref.locator) === 0
  if (!isInPlace || !message.flags.draft) throw draftStale(draftId)
  return { draft, message }
}

/** The draft and its octets. @throws as `findDraft`, source_unavailable, message_too_large. */
export async function readDraft(
  draftId: string,
  mail: ReadMail,
  context: ActionContext,
): Promise<StoredDraft & { readonly octets: Uint8Array }> {
  return fetchSource('The draft', async () => {
    const found = await findDraft(draftId, mail, context)
    const stream = await mail.openPart(found.draft.ref, 'original', context.call)
    return { ...found, octets: await collect(stream, maxDraftBytes, tooLarge) }
  })
}

function tooLarge(): Fault {
  return new Fault('message_too_large', {
    public: `This draft has more than ${maxDraftBytes} bytes. Nothing was sent or changed.`,
    details: { limit_bytes: maxDraftBytes },
  })
}
