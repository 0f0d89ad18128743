import * as z from 'zod'

/*
 * Parameters shared by actions: one wording, one bound each. A description is published with the names of the
 * actions that take it in front, and must stay within 200 characters with them.
 */

const text = (max: number, description: string): z.ZodString =>
  z.string().min(1).max(max).describe(description)

/** Longer ones are answered by no mail server in use; `folder_list` leaves out what no argument could name. */
export const maxFolderReference = 1_000

export const inboxId = text(36, 'Of inbox_list.').meta({ kind: 'id' })
export const inbox = text(320, 'Its address or alias instead.')

export const messageId = text(512, 'message_id of a row, not the Message-ID header.').meta({ kind: 'id' })
export const threadId = text(512, 'thread_id of a row, instead of message_id.').meta({ kind: 'id' })
export const messageIds = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(50)
  .describe('message_ids of rows, all of one inbox.')
  .meta({ kind: 'ids' })

export const organisedIds = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(500)
  .describe('message_ids of rows, all of one inbox.')
  .meta({ kind: 'ids' })

/** What a filter that was left out stands for: published as its default. */
export const filterDefaults = { folder: 'INBOX', unread_only: false, include_spam_trash: false } as const

/** Published with its default, and told apart from an argument that was given: a cursor refuses what differs from it. */
const defaulting = <T extends z.ZodType>(schema: T, name: keyof typeof filterDefaults): z.ZodOptional<T> =>
  schema.optional().meta({ default: filterDefaults[name] })

export const folder = defaulting(
  text(
    maxFolderReference,
    'folder_id or path from folder_list, a role (inbox sent drafts trash archive spam all), or a unique name.',
  ),
  'folder',
)
export const unreadOnly = defaulting(
  z.boolean().describe('true leaves out what has been read.'),
  'unread_only',
)
const folders = (description: string): z.ZodArray<z.ZodString> =>
  z.array(z.string().min(1).max(maxFolderReference)).max(50).describe(description).meta({ kind: 'folders' })

const fragment = (description: string): z.ZodString => text(500, description)
const address = (description: string): z.ZodString => fragment(description).meta({ kind: 'address' })
const time = (description: string): z.ZodString => text(64, description).meta({ kind: 'time' })
const bytes = (description: string): z.ZodNumber =>
  z.number().int().min(1).max(1_000_000_000).describe(description).meta({ kind: 'bytes' })

/** The structured search fields: all are joined by AND with each other and with `query`. */
export const searchFields = {
  query: text(
    1_000,
    'Gmail-like, ANDed with the other fields: from:amy (invoice OR bill) -subject:"tax return" newer_than:6m (months).',
  ).optional(),
  from: address('Literal part of name or address, any case; several words are one phrase.').optional(),
  to: address('As from.').optional(),
  cc: address('As from.').optional(),
  subject: fragment('As from.').optional(),
  body: fragment('As from.').optional(),
  text: fragment('As from, in any header or the body.').optional(),
  has_attachment: z.boolean().describe('true: only with files; false: without.').optional(),
  unread: z.boolean().describe('true: only unread; false: read.').optional(),
  flagged: z.boolean().describe('true: only starred; false: others.').optional(),
  since: time(
    'Received at or after: 2026-11-03T09:30:00+01:00, 2026-11-03 (in the inbox time zone), today, yesterday, or an age: 30s 5m 1h 7d 2w (m = minutes).',
  ).optional(),
  before: time('Received before; as since.').optional(),
  larger: bytes('Bytes.').optional(),
  smaller: bytes('Bytes.').optional(),
  include_folders: folders(
    'Only these: ids, paths, roles or unique names; over several inboxes what all have, such as roles.',
  ).optional(),
  exclude_folders: folders('Not these, also of include_folders.').optional(),
  include_spam_trash: defaulting(
    z.boolean().describe('No effect beside include_folders.'),
    'include_spam_trash',
  ),
} as const

/** The same where INBOX alone is searched unless folders are named. */
export const inboxSearchFields = {
  ...searchFields,
  query: text(1_000, 'As email_read.').optional(),
  since: time('As email_read.').optional(),
  include_folders: folders('Instead of INBOX.').optional(),
} as const

export const idempotencyKey = text(
  200,
  'Own text: repeated with it within 24 h, the call acts once.',
).optional()
export const destination = text(
  maxFolderReference,
  'folder_id or path from folder_list, a role such as archive, or a unique name.',
)

export const folderName = (description: string): z.ZodString => text(255, description)
export const folderReference = (description: string): z.ZodString => text(maxFolderReference, description)

export const operationId = text(64, 'Of the answer of a write.').meta({ kind: 'id' })

export const limit = z
  .number()
  .int()
  .min(1)
  .max(100)
  .describe('Rows per page; thread at most 50.')
  .default(20)
  .meta({ kind: 'clamped' })
/** Of a change of whatever matches; the default is the action's. */
export const bulkLimit = z
  .number()
  .int()
  .min(1)
  .max(500)
  .describe('Most messages to change.')
  .meta({ kind: 'clamped' })
export const dryRun = z.boolean().describe('true changes nothing.').default(false)
export const permanent = z
  .boolean()
  .describe('true deletes for ever. IMAP only; cannot be undone.')
  .default(false)
export const threadLimit = z
  .number()
  .int()
  .min(1)
  .max(50)
  .describe('Messages per page.')
  .default(20)
  .meta({ kind: 'clamped' })
const rowsToSkip = z.number().int().min(0).max(10_000)
export const offset = rowsToSkip
  .describe('next_offset of the page before, other arguments unchanged.')
  .default(0)
export const messageOffset = rowsToSkip
  .describe('next_offset of the page before, other arguments unchanged; not with cursor.')
  .default(0)
export const cursor = text(
  4_000,
  'next_cursor of the page before: immune to new mail, unlike offset. Valid 24 h; filters left out or unchanged.',
).optional()

const bodyMax = z
  .number()
  .int()
  .min(0)
  .max(50_000)
  .describe('Most characters of text. Default: read, extract 8,000; read_batch, thread 2,000.')
  .meta({ kind: 'clamped' })
/** Characters that `read` shows of a body unless told otherwise. */
export const defaultBodyChars = 8_000
export const bodyMaxChars = bodyMax.default(defaultBodyChars)
/** The same for each of several messages. */
export const sharedBodyChars = 2_000
export const batchBodyMaxChars = bodyMax.default(sharedBodyChars)

const bodyPlace = (description: string): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(0).max(100_000_000).describe(description).default(0)
export const bodyOffset = bodyPlace('body_next_offset of the call before.')
export const attachmentIndex = z
  .number()
  .int()
  .min(0)
  .max(999)
  .describe('Of read; needed, or filename, where there are several files.')
  .optional()
export const filename = text(255, 'Whole name, any case.').optional()
export const inline = z
  .boolean()
  .describe('true adds the bytes: attachment up to 1 MiB, original 64 KiB.')
  .default(false)
export const bodyHtmlOffset = bodyPlace('body_html_next_offset of the call before.')
export const includeHtml = z.boolean().describe('true adds body_html, sanitised.').default(false)
export const links = z
  .enum(['none', 'hosts', 'full'])
  .describe('In the body; hosts: text and true host; full: text and URL.')
  .default('hosts')

export const waitSince = time(
  'Mail already there counts from here on; forms as email_read (2m: two minutes).',
)
  .optional()
  .meta({ default: '2m' })
export const watchedFolders = folders('Up to 5, instead of INBOX.').optional()
export const timeoutSeconds = z
  .number()
  .int()
  .min(0)
  .max(50)
  .describe('Most seconds to wait; 0 looks once.')
  .default(30)
export const waitCursor = text(
  4_000,
  'cursor of the answer before. Valid 24 h; filters left out or unchanged.',
).optional()
export const waitLimit = z
  .number()
  .int()
  .min(1)
  .max(25)
  .describe('Messages, oldest first; cursor brings the others.')
  .default(10)
  .meta({ kind: 'clamped' })
export const includeBody = z.boolean().describe('true adds the body; needs read:email.').default(false)
export const waitBodyMaxChars = z
  .number()
  .int()
  .min(0)
  .max(8_000)
  .describe('Of each body.')
  .default(2_000)
  .meta({ kind: 'clamped' })
