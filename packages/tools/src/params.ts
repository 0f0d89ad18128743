import * as z from 'zod'

/*
 * Parameters shared by actions: one wording, one bound each. A description is published with the names of the
 * actions that take it in front, and must stay within 200 characters with them.
 */

const text = (max: number, description: string): z.ZodString =>
  z.string().min(1).max(max).describe(description)

export const inboxId = text(
  36,
  'UUID of the inbox, from inbox_list. Needed only when the key reaches several inboxes.',
).meta({ kind: 'id' })
export const inbox = text(320, 'Address of the inbox, instead of inbox_id; case does not matter.')

export const messageId = text(
  512,
  'message_id of a listed or found message; it stays valid when the message moves.',
).meta({ kind: 'id' })
export const messageIds = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(50)
  .describe('1 to 50 message_id values of one inbox; repeats are dropped.')
  .meta({ kind: 'ids' })

/** Published as the default, and told apart from an argument that was given: a cursor refuses what differs from it. */
const defaulting = <T extends z.ZodType>(schema: T, value: unknown): z.ZodOptional<T> =>
  schema.optional().meta({ default: value })

export const folder = defaulting(
  text(500, 'folder_id, role (inbox, sent, drafts, trash, archive, spam), path, or a unique name.'),
  'INBOX',
)
export const unreadOnly = defaulting(z.boolean().describe('Only unread messages.'), false)
const folders = (description: string): z.ZodArray<z.ZodString> =>
  z.array(z.string().min(1).max(500)).max(50).describe(description).meta({ kind: 'folders' })

const fragment = (where: string): z.ZodString =>
  text(500, `Literal, case-insensitive part of ${where}; several words are one phrase.`)
const time = (description: string): z.ZodString => text(64, description).meta({ kind: 'time' })
const bytes = (description: string): z.ZodNumber =>
  z.number().int().min(1).max(1_000_000_000).describe(description).meta({ kind: 'bytes' })

/** The structured search fields (tools.md 4.0): all are joined by AND with each other and with `query`. */
export const searchFields = {
  query: text(
    1_000,
    'Search grammar, as from:amy subject:"tax return" -is:read (a OR b) newer_than:7d; joined by AND with the other fields.',
  ).optional(),
  from: fragment('the sender').optional(),
  to: fragment('a To recipient').optional(),
  cc: fragment('a Cc recipient').optional(),
  subject: fragment('the subject').optional(),
  body: fragment('the body').optional(),
  text: fragment('headers or body').optional(),
  has_attachment: z.boolean().describe('true: only with files; false: only without.').optional(),
  unread: z.boolean().describe('true: only unread; false: only read.').optional(),
  flagged: z.boolean().describe('true: only flagged (starred); false: only not.').optional(),
  since: time(
    'Received at or after: 2026-11-03, an instant with zone, today, yesterday, or an age as 5m 1h 7d 2w (m = minutes).',
  ).optional(),
  before: time('Received before; forms as since.').optional(),
  larger: bytes('Larger than this many bytes.').optional(),
  smaller: bytes('Smaller than this many bytes.').optional(),
  include_folders: folders('Only these folders (ids, roles, paths or unique names).').optional(),
  exclude_folders: folders('All but these folders.').optional(),
  include_spam_trash: defaulting(z.boolean().describe('Adds Spam and Trash to the default scope.'), false),
} as const

export const limit = z
  .number()
  .int()
  .min(1)
  .max(100)
  .describe('Rows per page.')
  .default(20)
  .meta({ kind: 'clamped' })
export const offset = z
  .number()
  .int()
  .min(0)
  .max(10_000)
  .describe('Rows to skip; next_offset of the previous page.')
  .default(0)
export const cursor = text(
  16_000,
  'next_cursor of the previous page: continues there, whatever arrived since. Filters may be left out, not changed.',
).optional()

const bodyMax = z.number().int().min(0).max(50_000).meta({ kind: 'clamped' })
export const bodyMaxChars = bodyMax
  .describe('Most characters of body text (default 8,000; read_batch 2,000). 0: headers only.')
  .default(8_000)
export const batchBodyMaxChars = bodyMax
  .describe('Most characters of body text (default 8,000; read_batch 2,000). 0: headers only.')
  .default(2_000)
export const bodyOffset = z
  .number()
  .int()
  .min(0)
  .max(100_000_000)
  .describe('Where in the body to start; body_next_offset of the previous call.')
  .default(0)
export const bodyHtmlOffset = z
  .number()
  .int()
  .min(0)
  .max(100_000_000)
  .describe('Where in body_html to start.')
  .default(0)
export const includeHtml = z.boolean().describe('Adds the sanitised HTML as body_html.').default(false)
export const links = z
  .enum(['none', 'hosts', 'full'])
  .describe('How links in the body are shown: text only, with their true host, or with the whole URL.')
  .default('hosts')
