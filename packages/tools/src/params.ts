import * as z from 'zod'

/*
 * Parameters shared by actions: one wording, one bound each. A description is published with the names of the
 * actions that take it in front, and must stay within 200 characters with them.
 */

const text = (max: number, description: string): z.ZodString =>
  z.string().min(1).max(max).describe(description)

/** Longer ones are answered by no mail server in use; `folder_list` leaves out what no argument could name. */
export const maxFolderReference = 1_000

export const inboxId = text(
  36,
  'UUID of one inbox, from inbox_list. Where the key reaches several, this or inbox is needed (not for email_read search).',
).meta({ kind: 'id' })
export const inbox = text(
  320,
  'E-mail address of the inbox, in place of inbox_id (not a folder such as INBOX); case does not matter, aliases count.',
)

export const messageId = text(
  512,
  'message_id of a row, case-sensitive, not the Message-ID header. It stays valid when the message moves.',
).meta({ kind: 'id' })
export const threadId = text(
  512,
  'thread_id of a row or of a thread, instead of message_id: thread takes one of them.',
).meta({ kind: 'id' })
export const messageIds = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(50)
  .describe(
    '1 to 50 message_id values of rows, all of one inbox, case-sensitive; repeats are dropped, the order is kept.',
  )
  .meta({ kind: 'ids' })

export const organisedIds = z
  .array(z.string().min(1).max(512))
  .min(1)
  .max(500)
  .describe('1 to 500 message_id values of rows, all of one inbox, case-sensitive; repeats are dropped.')
  .meta({ kind: 'ids' })

/** What a filter that was left out stands for: published as its default. */
export const filterDefaults = { folder: 'INBOX', unread_only: false, include_spam_trash: false } as const

/** Published with its default, and told apart from an argument that was given: a cursor refuses what differs from it. */
const defaulting = <T extends z.ZodType>(schema: T, name: keyof typeof filterDefaults): z.ZodOptional<T> =>
  schema.optional().meta({ default: filterDefaults[name] })

export const folder = defaulting(
  text(
    maxFolderReference,
    'folder_id or path from folder_list, a role (inbox sent drafts trash archive spam all), or a name if unique. Of a role the inbox lacks: an error.',
  ),
  'folder',
)
export const unreadOnly = defaulting(
  z.boolean().describe('true leaves out what has been read. In search and count: unread.'),
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
    'Gmail-like, ANDed with the other fields. Example: from:amy (invoice OR bill) -subject:"tax return" newer_than:6m (months). An unknown operator is an error.',
  ).optional(),
  from: address(
    "Part of the sender's name or address, literal, any case; several words are one phrase.",
  ).optional(),
  to: address('As from, of a To name or address.').optional(),
  cc: address('As from, of a Cc name or address.').optional(),
  subject: fragment('As from, of the subject.').optional(),
  body: fragment('As from, of the body.').optional(),
  text: fragment('As from, of any header or the body.').optional(),
  has_attachment: z.boolean().describe('true: only with files; false: only without.').optional(),
  unread: z.boolean().describe('true: only unread; false: only read.').optional(),
  flagged: z.boolean().describe('true: only flagged (starred); false: only not flagged.').optional(),
  since: time(
    'Received at or after: 2026-11-03T09:30:00+01:00, 2026-11-03, today, yesterday, or an age: 30s 5m 1h 7d 2w (m = minutes). Days begin in the inbox time zone.',
  ).optional(),
  before: time('Received before, exclusive; forms as in since.').optional(),
  larger: bytes('Bytes; the whole message is larger (5M only in query).').optional(),
  smaller: bytes('Bytes; the whole message is smaller.').optional(),
  include_folders: folders(
    'Only these, instead of all but Spam and Trash: ids, paths, roles or unique names. Over several inboxes: what all have, such as roles.',
  ).optional(),
  exclude_folders: folders('Leaves these out, also of include_folders; same forms.').optional(),
  include_spam_trash: defaulting(
    z.boolean().describe('true searches Spam and Trash as well; no effect beside include_folders.'),
    'include_spam_trash',
  ),
} as const

/** The same where INBOX alone is searched unless folders are named. */
export const inboxSearchFields = {
  ...searchFields,
  query: text(1_000, 'As of email_read search, ANDed with the other fields.').optional(),
  since: time('Received at or after; forms as of email_read.').optional(),
  include_folders: folders('These instead of INBOX: ids, paths, roles or unique names.').optional(),
} as const

export const idempotencyKey = text(
  200,
  'Any text of your own for this one act: the same call with it again acts once. Valid 24 h.',
).optional()
export const destination = text(
  maxFolderReference,
  'Folder to go to: folder_id or path from folder_list, a role such as archive, or a name if unique. Trash and Spam also need delete:email.',
)

export const folderName = (description: string): z.ZodString => text(255, description)
export const folderReference = (description: string): z.ZodString => text(maxFolderReference, description)

export const operationId = text(64, 'operation_id of the answer of a write.').meta({ kind: 'id' })

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
  .describe('Most messages to change in this call.')
  .meta({ kind: 'clamped' })
export const dryRun = z.boolean().describe('true changes nothing and tells what would match.').default(false)
export const permanent = z
  .boolean()
  .describe('true deletes for ever instead of moving to Trash. IMAP only; cannot be undone.')
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
  .describe('Rows to skip: next_offset of the page before, other arguments unchanged.')
  .default(0)
export const messageOffset = rowsToSkip
  .describe(
    'Rows to skip: next_offset of the page before, other arguments unchanged. Not together with cursor.',
  )
  .default(0)
export const cursor = text(
  4_000,
  'next_cursor of the page before; better than offset: immune to new mail. Valid 24 h. Same action; filters left out or unchanged.',
).optional()

const bodyMax = z
  .number()
  .int()
  .min(0)
  .max(50_000)
  .describe(
    'Most characters of body text. Default: read, extract 8,000, read_batch, thread 2,000. 0 gives no text.',
  )
  .meta({ kind: 'clamped' })
/** Characters that `read` shows of a body unless told otherwise. */
export const defaultBodyChars = 8_000
export const bodyMaxChars = bodyMax.default(defaultBodyChars)
/** The same for each of several messages. */
export const sharedBodyChars = 2_000
export const batchBodyMaxChars = bodyMax.default(sharedBodyChars)

const bodyPlace = (description: string): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(0).max(100_000_000).describe(description).default(0)
export const bodyOffset = bodyPlace(
  'Character of the body to start at: body_next_offset of the call before, also in body_continue.',
)
export const attachmentIndex = z
  .number()
  .int()
  .min(0)
  .max(999)
  .describe('attachment_index of read. Needed where the message has several files; beats filename.')
  .optional()
export const filename = text(
  255,
  'Whole name of the file instead of attachment_index; case does not matter.',
).optional()
export const inline = z
  .boolean()
  .describe('true adds the bytes to the result: attachment up to 1 MiB, original up to 64 KiB.')
  .default(false)
export const bodyHtmlOffset = bodyPlace(
  'Character of body_html to start at, with include_html: body_html_next_offset of the call before.',
)
export const includeHtml = z
  .boolean()
  .describe('true adds body_html: sanitised markup, images without source.')
  .default(false)
export const links = z
  .enum(['none', 'hosts', 'full'])
  .describe('Links in the body. none: their text only; hosts: text and true host; full: text and whole URL.')
  .default('hosts')

export const waitSince = time(
  'Mail already there counts from here on: 2026-11-03T09:30:00+01:00, today, or an age: 30s 5m 1h 7d (m = minutes). Default 2m. Later arrivals count whatever their date.',
)
  .optional()
  .meta({ default: '2m' })
export const watchedFolders = folders(
  'Up to 5 to watch instead of INBOX: ids, paths, roles or unique names.',
).optional()
export const timeoutSeconds = z
  .number()
  .int()
  .min(0)
  .max(50)
  .describe('How long to wait at most; the last 3 of 50 s are for the answer. 0 looks once.')
  .default(30)
export const waitCursor = text(
  4_000,
  'cursor of the answer before: goes on behind it. Valid 24 h. Filters left out or unchanged.',
).optional()
export const waitLimit = z
  .number()
  .int()
  .min(1)
  .max(25)
  .describe('Messages per answer, the oldest first; cursor brings the others.')
  .default(10)
  .meta({ kind: 'clamped' })
export const includeBody = z
  .boolean()
  .describe('true adds the body as text, fenced; needs read:email.')
  .default(false)
export const waitBodyMaxChars = z
  .number()
  .int()
  .min(0)
  .max(8_000)
  .describe('Most characters of each body, with include_body.')
  .default(2_000)
  .meta({ kind: 'clamped' })
