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
export const cc = mailboxes('As to. On reply: added to those of the original.')
export const bcc = mailboxes('As to; the other recipients do not see them.')
export const subject = z.string().min(1).max(989).describe('One line, 1 to 989 characters.')
export const body = z
  .string()
  .max(500_000)
  .describe('Own plain text. Signature and quoted original are added below it.')
export const htmlBody = z
  .string()
  .max(1_000_000)
  .describe('The same text in HTML, sent as it is beside the plain one.')
  .optional()
export const from = z
  .string()
  .min(1)
  .max(320)
  .describe(
    'One of sender_identities of inbox_list. Default: the one the original was sent to, else the primary.',
  )
  .optional()
export const replyTo = z.string().min(1).max(320).describe('Mailbox that answers go to.').optional()
export const replyAll = z
  .boolean()
  .describe("true: also to the original's other To and Cc, without the owner.")
  .default(false)
export const includeSignature = z.boolean().describe("false leaves out the owner's signature.").default(true)
export const draftId = z
  .string()
  .min(1)
  .max(512)
  .describe('draft_id of draft_list or of the call that wrote it last; each update gives a new one.')
  .meta({ kind: 'id' })
export const forwardedIds = organisedIds
  .max(50)
  .describe('1 to 50 message_ids, each forwarded in a message of its own; instead of message_id.')

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
    'Files, each {filename, mime_type, data} (10 MB in all), {source_message_id, attachment_index} or {upload_id} of POST /api/v1/uploads with this key; 25 MB in all.',
  )
