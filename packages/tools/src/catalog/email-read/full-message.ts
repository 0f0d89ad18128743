import * as z from 'zod'
import { cleanText, messageRow, person, truncation } from '../../outputs.ts'

const verdict = z.enum(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror', 'unknown'])

/**
 * A message read in full: all fields of a row, and what only its whole says. Window fields are there only if the
 * body was cut or continued, counts only of lists that were cut.
 */
export const fullMessage = messageRow
  .omit({ row_error: true, unread: true, flagged: true, answered: true, has_attachment: true })
  .extend({
    unread: z.boolean(),
    flagged: z.boolean(),
    answered: z.boolean(),
    has_attachment: z.boolean(),
    rfc_message_id: cleanText.nullable(),
    sender: person.nullable(),
    reply_to: z.array(cleanText),
    reply_to_count: z.number().int().optional(),
    cc: z.array(cleanText),
    cc_count: z.number().int().optional(),
    bcc: z.array(cleanText),
    bcc_count: z.number().int().optional(),
    date_header: cleanText.nullable(),
    body: cleanText
      .describe('Fenced by untrusted_boundary; offsets count the text without the fence.')
      .optional(),
    body_source: z.enum(['plain', 'html', 'none']),
    quoted_from: z.number().int().nullable(),
    body_truncated: z.boolean().optional(),
    body_offset: z.number().int().optional(),
    body_total_chars: z.number().int().optional(),
    body_next_offset: z.number().int().nullable().optional(),
    body_continue: z
      .record(z.string(), z.unknown())
      .describe('Arguments of the call that goes on where the body was cut.')
      .optional(),
    body_html: cleanText.nullable().optional(),
    body_html_total_chars: z.number().int().optional(),
    body_html_next_offset: z.number().int().nullable().optional(),
    attachments: z.array(
      z.strictObject({
        attachment_index: z.number().int(),
        filename: cleanText.nullable(),
        mime_type: cleanText,
        size_bytes: z.number().int().nullable(),
        inline: z.boolean(),
      }),
    ),
    attachment_count: z.number().int().optional(),
    authentication: z
      .strictObject({ spf: verdict, dkim: verdict, dmarc: verdict, evaluated_by: cleanText.nullable() })
      .describe('By the receiving server; unknown claims nothing.'),
    sender_signals: z.strictObject({
      first_contact: z.boolean().nullable(),
      reply_to_differs: z.boolean(),
      lookalike_domain: z.boolean().nullable(),
      punycode: z.boolean(),
      external: z.boolean(),
    }),
    hidden_text_removed: z.number().int(),
    charset_guessed: z.boolean(),
    list_unsubscribe: z.boolean(),
    warnings: z.array(z.string()),
    untrusted_boundary: z.string(),
    ...truncation,
  })
