import * as z from 'zod'
import { cleanText, untrusted } from '../outputs.ts'

/** What is kept of the writing of a draft. */
export const draftOwn = z.strictObject({
  draft_id: z.string().describe('The current id of the draft.').optional(),
  previous_draft_id: z.string().optional(),
  message_id: z.string().optional(),
  thread_id: z.string().nullable().optional(),
})
export type DraftOwn = z.input<typeof draftOwn>

/** What is told once of a draft that was written. */
export const draftOnce = z.strictObject({
  subject: cleanText,
  from: cleanText,
  to: z.array(cleanText),
  to_count: z.number().int().optional(),
  cc: z.array(cleanText),
  cc_count: z.number().int().optional(),
  bcc: z.array(cleanText),
  bcc_count: z.number().int().optional(),
  untrusted_content: untrusted,
})
export type DraftOnce = z.input<typeof draftOnce>
