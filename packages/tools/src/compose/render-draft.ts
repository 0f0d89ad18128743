import {
  readMessageFields,
  cleanLine,
  sealDraftId,
  sealMessageId,
  type Address,
  type CleanText,
  type DraftRef,
  type Message,
  type MessageRef,
} from '@postern/mail'
import * as z from 'zod'
import { fitItems } from '../budget.ts'
import { fullMessage } from '../catalog/email-read/full-message.ts'
import {
  hasAttachment,
  renderHead,
  renderPlace,
  renderPreview,
  rowContextOf,
} from '../catalog/email-read/message-row.ts'
import { renderLists } from '../catalog/email-read/render-message.ts'
import type { OpenedMessage } from '../catalog/email-read/open-message.ts'
import type { ActionContext } from '../define-tool.ts'
import { onlyInbox } from '../only-inbox.ts'
import { cleanText, person } from '../outputs.ts'

/** A stored draft in a listing; counts stand beside lists that were cut. */
export const draftRow = z.strictObject({
  draft_id: z.string(),
  message_id: z.string(),
  thread_id: z.string().nullable(),
  reply_to_message_id: z.string().nullable(),
  subject: cleanText,
  from: person.nullable(),
  to: z.array(cleanText),
  to_count: z.number().int().optional(),
  cc: z.array(cleanText),
  cc_count: z.number().int().optional(),
  bcc: z.array(cleanText),
  bcc_count: z.number().int().optional(),
  created_at: z.string().nullable(),
  updated_at: z.string(),
  snippet: cleanText.nullable(),
  has_attachment: z.boolean(),
})
export type DraftRow = z.input<typeof draftRow>

/** One draft in full; the fields of its body are those of email_read. */
export const fullDraft = draftRow.extend(
  fullMessage.pick({
    rfc_message_id: true,
    reply_to: true,
    reply_to_count: true,
    body: true,
    body_source: true,
    quoted_from: true,
    body_truncated: true,
    body_offset: true,
    body_total_chars: true,
    body_next_offset: true,
    attachments: true,
    attachment_count: true,
    warnings: true,
    truncated: true,
    truncated_reason: true,
  }).shape,
)
export type FullDraft = z.input<typeof fullDraft>

const listed = { items: 5, tokens: 100 } as const

/** A row: who, what about, when it was stored, and its first words. */
export function renderDraftRow(draft: DraftRef, message: Message, context: ActionContext): DraftRow {
  const fields = readMessageFields(message.headers, message.tree)
  const [to, cc, bcc] = [shorten(fields.to), shorten(fields.cc), shorten(fields.bcc)]
  return {
    ...renderIds(draft, message, null, context),
    to,
    ...(to.length < fields.to.length ? { to_count: fields.to.length } : {}),
    cc,
    ...(cc.length < fields.cc.length ? { cc_count: fields.cc.length } : {}),
    bcc,
    ...(bcc.length < fields.bcc.length ? { bcc_count: fields.bcc.length } : {}),
  }
}

/** Everything of a draft but its body. @param answered the message that it answers. */
export function renderFullDraft(
  draft: DraftRef,
  opened: OpenedMessage,
  answered: MessageRef | null,
  context: ActionContext,
): FullDraft {
  const { message, body } = opened
  const fields = readMessageFields(message.headers, message.tree)
  return {
    ...renderIds(draft, message, answered, context),
    rfc_message_id: fields.rfcMessageId === null ? null : cleanLine(fields.rfcMessageId),
    ...renderLists(fields, opened),
    body_source: opened.source,
    quoted_from: body?.quotedFrom ?? null,
    warnings: [...new Set(opened.warnings)],
  }
}

type Ids = Omit<DraftRow, 'to' | 'cc' | 'bcc' | 'to_count' | 'cc_count' | 'bcc_count'>

function renderIds(
  draft: DraftRef,
  message: Message,
  answered: MessageRef | null,
  context: ActionContext,
): Ids {
  const inbox = onlyInbox(context)
  const signer = context.deps.messageIdSigner
  const { message_id, thread_id } = renderPlace(message, rowContextOf(context, inbox, null))
  const { from, subject, date } = renderHead(message)
  return {
    draft_id: sealDraftId(signer, inbox.inboxId, draft),
    message_id,
    thread_id,
    reply_to_message_id: answered === null ? null : sealMessageId(signer, inbox.inboxId, answered),
    subject,
    from,
    // Each change of a draft stores a new message: when the first of them was written, nobody keeps.
    created_at: null,
    updated_at: date,
    snippet: renderPreview(message),
    has_attachment: hasAttachment(message),
  }
}

function shorten(addresses: readonly Address[]): CleanText[] {
  return [
    ...fitItems(
      addresses.slice(0, listed.items).map(({ email }) => cleanLine(email)),
      listed.tokens,
    ),
  ]
}
