import { outcomes } from '@postern/access'
import type { CleanText } from '@postern/mail'
import * as z from 'zod'

/*
 * Shapes shared by results. Wherever a stranger's words may stand the type is `cleanText`, which only the
 * sanitiser makes: a result that forgot it does not compile.
 */

/** A string at run time; in types, only what passed the sanitiser. */
export const cleanText = z.string() as unknown as z.ZodType<CleanText, CleanText>

export const person = z.strictObject({ name: cleanText.nullable(), email: cleanText })

export const untrusted = z.literal(true)

export const paging = {
  has_more: z.boolean(),
  next_offset: z.number().int().nullable(),
} as const

/** Present only when the size cap cut the result. */
export const truncation = {
  truncated: z.literal(true).optional(),
  truncated_reason: z.string().optional(),
} as const

export const messageRow = z.strictObject({
  message_id: z.string(),
  inbox_id: z.string().optional(),
  thread_id: z.string().nullable(),
  folder_id: z.string(),
  folder_name: cleanText.optional(),
  labels: z.array(cleanText).optional(),
  from: person.nullable(),
  to: z.array(cleanText),
  to_count: z.number().int().optional(),
  subject: cleanText,
  date: z.string(),
  snippet: cleanText.nullable().optional(),
  size_bytes: z.number().int().nullable(),
  unread: z.literal(true).optional(),
  flagged: z.literal(true).optional(),
  answered: z.literal(true).optional(),
  has_attachment: z.literal(true).optional(),
  row_error: z.string().optional(),
})

export type MessageRowOutput = z.input<typeof messageRow>

/** What every write answers with. */
export const writeEnvelope = z.strictObject({
  outcome: z.enum(outcomes),
  operation_id: z.string(),
  inbox_id: z.string().optional(),
  retry: z.literal('never').optional(),
  idempotent_replay: z.literal(true).optional(),
  possible_duplicate_of: z.string().optional(),
})

/** What is left of the answer of an earlier call: lists may be missing. */
export const replayOutput = z.looseObject(writeEnvelope.shape)

/** One message of a write on several. */
export const itemResult = z.strictObject({
  message_id: z.string(),
  status: z.enum(['done', 'unchanged', 'failed', 'unknown']),
  code: z.string().optional(),
  new_message_id: z.string().optional(),
})

/** What a search covered. */
export const coverage = {
  complete: z.boolean(),
  folders_searched: z.array(z.string()),
  folders_failed: z.array(
    z.strictObject({ folder_id: z.string(), code: z.string(), inbox_id: z.string().optional() }),
  ),
  degraded: z.array(z.string()),
  matching: z.string(),
  resolved: z.strictObject({
    since: z.string().nullable(),
    before: z.string().nullable(),
    timezone: z.string(),
  }),
  inboxes_searched: z.array(z.string()).optional(),
  inboxes_failed: z.array(z.strictObject({ inbox_id: z.string(), code: z.string() })).optional(),
} as const
