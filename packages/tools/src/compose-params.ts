import * as z from 'zod'
import { organisedIds } from './params.ts'

/*
 * Parameters of what is written to others, shared by email_compose and draft: one wording, one bound each.
 */

const maxMailboxChars = 1_000
/** Base64 of the 10 MB that may come inline. */
const maxDataChars = 14_000_000

const mailboxes = (description: string): z.ZodArray<z.ZodString> =>
  z.array(z.string().min(1).max(maxMailboxChars)).max(50).describe(description).meta({ kind: 'recipients' })

export const to = mailboxes('Mailboxes, one an entry: a@b.example or Name <a@b.example>.')
export const cc = mailboxes('As to; on reply added.')
export const bcc = mailboxes('As to, unseen by the others.')
export const subject = z.string().min(1).max(989).describe('One line.')
export const body = z.string().max(500_000).describe('Own plain text; signature and quote follow below.')
export const htmlBody = z.string().max(1_000_000).describe('The same text in HTML.').optional()
export const from = z
  .string()
  .min(1)
  .max(320)
  .describe('Of sender_identities; default: whom the original was sent to, else the primary.')
  .optional()
export const replyTo = z.string().min(1).max(320).describe('Mailbox that answers go to.').optional()
export const replyAll = z
  .boolean()
  .describe('true: also to the other To and Cc, without the owner.')
  .default(false)
export const includeSignature = z.boolean().describe("false leaves out the owner's signature.").default(true)
export const draftId = z
  .string()
  .min(1)
  .max(512)
  .describe('Of draft_list, or of the call that wrote it last.')
  .meta({ kind: 'id' })
export const forwardedIds = organisedIds
  .max(50)
  .describe('Each forwarded in a message of its own; instead of message_id.')

export const attachment = z.strictObject({
  filename: z.string().min(1).max(255).optional(),
  mime_type: z.string().min(3).max(255).optional(),
  data: z.string().max(maxDataChars).describe('Base64.').optional(),
  source_message_id: z.string().min(1).max(512).optional(),
  attachment_index: z.number().int().min(0).max(999).optional(),
  upload_id: z.string().min(1).max(512).optional(),
})
export type AttachmentArg = z.output<typeof attachment>

export const attachments = z
  .array(attachment)
  .max(20)
  .describe(
    'Files, each {filename, mime_type, data in base64} (10 MB in all), {source_message_id, attachment_index} or {upload_id} of POST /api/v1/uploads with this key; 25 MB in all.',
  )
