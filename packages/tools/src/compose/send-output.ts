import * as z from 'zod'
import { cleanText, untrusted } from '../outputs.ts'
import { approvalFields } from '../tell-approval.ts'

const recipient = z.strictObject({
  email: cleanText,
  field: z.enum(['to', 'cc', 'bcc']),
  status: z.enum(['accepted', 'rejected', 'unknown']),
  smtp_code: z.number().int().nullable(),
  enhanced_code: z.string().nullable(),
})
export type RecipientOutput = z.input<typeof recipient>

/** What is kept of a sending: ids, counts, and where the approval of a held one is. */
export const sendOwn = z.strictObject({
  rfc_message_id: z.string().optional(),
  message_id: z.string().nullable().optional(),
  thread_id: z.string().nullable().optional(),
  recipient_counts: z
    .strictObject({ accepted: z.number().int(), rejected: z.number().int(), unknown: z.number().int() })
    .optional(),
  sent_copy: z
    .strictObject({
      status: z.enum(['saved', 'provider_saved', 'failed', 'skipped', 'unknown']),
      folder_id: z.string().nullable(),
    })
    .describe("The copy in the owner's Sent folder; sent stays sent without it.")
    .optional(),
  ...approvalFields,
})
export type SendOwn = z.input<typeof sendOwn>

/** What is told of a sending once. */
export const sendOnce = z.strictObject({
  from: cleanText.optional(),
  subject: cleanText.optional(),
  recipients: z.array(recipient).describe('Those not accepted come first.').optional(),
  recipients_omitted: z.number().int().optional(),
  untrusted_content: untrusted.optional(),
})
export type SendOnce = z.input<typeof sendOnce>
