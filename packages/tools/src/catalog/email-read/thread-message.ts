import {
  cleanLine,
  readAuthentication,
  readBaseSubject,
  readMessageFields,
  sliceClean,
  type CleanText,
  type Message,
} from '@postern/mail'
import * as z from 'zod'
import { fitItems } from '../../budget.ts'
import type { ActionContext } from '../../define-tool.ts'
import { cleanText, messageRow } from '../../outputs.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { fullMessage } from './full-message.ts'
import { renderHead, renderPlace, rowContextOf } from './message-row.ts'
import type { OpenedMessage } from './open-message.ts'

const windowFields = fullMessage.pick({
  body: true,
  body_truncated: true,
  body_offset: true,
  body_total_chars: true,
  body_next_offset: true,
  body_continue: true,
}).shape

/** A message of a conversation: what a row says where it differs from its neighbours, and its own words. */
export const threadMessage = messageRow
  .pick({
    message_id: true,
    folder_id: true,
    folder_name: true,
    from: true,
    to: true,
    to_count: true,
    date: true,
    unread: true,
    flagged: true,
    answered: true,
    row_error: true,
  })
  .extend({
    position: z.number().int().describe('1 = oldest.'),
    direction: z.enum(['in', 'out']),
    draft: z.literal(true).optional(),
    subject: cleanText.optional(),
    attachments: z
      .array(z.strictObject({ attachment_index: z.number().int(), filename: cleanText.nullable() }))
      .optional(),
    attachment_count: z.number().int().optional(),
    ...windowFields,
    quoted_from: z.number().int().optional(),
    warnings: z.array(z.string()).optional(),
  })

export type ThreadMessage = z.input<typeof threadMessage>

/** A message of the page, and what became of reading it. */
export interface ThreadItem {
  readonly message: Message
  readonly position: number
  readonly opened: OpenedMessage | null
}

/** Files that one message names. */
const shownFiles = { items: 5, tokens: 150 } as const

/** Everything of a message but its body. */
export function renderThreadHead(
  { message, position, opened }: ThreadItem,
  subject: string,
  context: ActionContext,
): ThreadMessage {
  const { message_id, folder_id, folder_name } = renderPlace(
    message,
    rowContextOf(context, onlyInbox(context), null),
  )
  const { from, to, to_count, subject: own, date } = renderHead(message)
  const isOther = readBaseSubject(own).base !== readBaseSubject(subject).base
  return {
    message_id,
    position,
    direction: directionOf(message, context),
    folder_id,
    ...(folder_name === undefined ? {} : { folder_name }),
    from,
    to,
    ...(to_count === undefined ? {} : { to_count }),
    date,
    ...(isOther ? { subject: own } : {}),
    ...(message.flags.draft ? { draft: true as const } : {}),
    ...(message.flags.seen ? {} : { unread: true as const }),
    ...(message.flags.flagged ? { flagged: true as const } : {}),
    ...(message.flags.answered ? { answered: true as const } : {}),
    ...(opened === null ? { row_error: unread } : renderRead(opened)),
  }
}

const unread = 'This message could not be read just now; read with its message_id may say why.'

function renderRead({
  attachments,
  warnings,
  body,
}: OpenedMessage): Pick<ThreadMessage, 'attachments' | 'attachment_count' | 'warnings' | 'quoted_from'> {
  const files = attachments.filter(({ isInline }) => !isInline)
  const listed = fitItems(
    files.slice(0, shownFiles.items).map(({ index, filename }) => ({
      attachment_index: index,
      filename: filename === null ? null : cleanLine(filename, maxFileName),
    })),
    shownFiles.tokens,
  )
  return {
    ...(files.length === 0 ? {} : { attachments: [...listed] }),
    ...(listed.length < files.length ? { attachment_count: files.length } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...new Set(warnings)] }),
    ...(body === null || body.quotedFrom === null ? {} : { quoted_from: body.quotedFrom }),
  }
}

const maxFileName = 100

/** A body without the history that is quoted at its end: that is what the other messages of the conversation say. */
export function ownWords({ body }: OpenedMessage): CleanText | null {
  if (body === null) return null
  if (body.quotedFrom === null) return body.text
  const own = body.text.slice(0, body.quotedFrom).trimEnd()
  return sliceClean(body.text, 0, own.length)
}

/**
 * Whether the owner wrote it: From is an address of the owner, and the receiving server has not found it forged.
 */
export function directionOf({ headers, tree }: Message, context: ActionContext): 'in' | 'out' {
  const { emailAddress, aliases, authservIds } = onlyInbox(context)
  const own = new Set([emailAddress, ...aliases].map((address) => address.toLowerCase()))
  const { from } = readMessageFields(headers, tree)
  const isOwn = from.length > 0 && from.every(({ email }) => own.has(email.toLowerCase()))
  return isOwn && readAuthentication(headers, authservIds).dmarc !== 'fail' ? 'out' : 'in'
}
