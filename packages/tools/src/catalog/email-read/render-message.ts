import type { InboxRecord } from '@postern/access'
import {
  cleanLine,
  estimateTokens,
  fence,
  rawText,
  findHeader,
  readAuthentication,
  readMessageFields,
  senderSignals,
  windowText,
  type Address,
  type CleanText,
  type Message,
  type RenderedBody,
  type TextWindow,
} from '@postern/mail'
import * as z from 'zod'
import type { ActionContext } from '../../define-tool.ts'
import { cleanText, messageRow, person } from '../../outputs.ts'
import type { OpenedMessage } from './open-message.ts'
import { renderHead, renderPerson, renderPlace, rowContextOf } from './message-row.ts'

/** Recipients listed of one field; more are counted. */
const maxRecipients = 100
const maxAttachments = 200

const verdict = z.enum(['pass', 'fail', 'softfail', 'neutral', 'none', 'temperror', 'permerror', 'unknown'])

/** A message read in full; window fields are there only if the body was cut or continued. */
export const fullMessage = messageRow
  .omit({ snippet: true, row_error: true, unread: true, flagged: true, answered: true, has_attachment: true })
  .extend({
    folder_name: cleanText.optional(),
    unread: z.boolean(),
    flagged: z.boolean(),
    answered: z.boolean(),
    has_attachment: z.boolean(),
    rfc_message_id: cleanText.nullable(),
    sender: person.nullable(),
    reply_to: z.array(cleanText),
    cc: z.array(cleanText),
    bcc: z.array(cleanText),
    date_header: cleanText.nullable(),
    body: cleanText.optional(),
    body_source: z.enum(['plain', 'html', 'none']),
    quoted_from: z.number().int().nullable(),
    body_truncated: z.boolean().optional(),
    body_offset: z.number().int().optional(),
    body_total_chars: z.number().int().optional(),
    body_next_offset: z.number().int().nullable().optional(),
    body_continue: z.record(z.string(), z.unknown()).optional(),
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
    authentication: z.strictObject({
      spf: verdict,
      dkim: verdict,
      dmarc: verdict,
      evaluated_by: cleanText.nullable(),
    }),
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
  })

export type FullMessage = z.input<typeof fullMessage>

export interface WindowRequest {
  readonly offset: number
  readonly maxChars: number
  readonly htmlOffset: number
  /** Tokens that body and markup may take together. */
  readonly maxTokens: number
}

/** Everything but the body: who, where, when, how trustworthy, what is attached. */
export function renderMessage(
  opened: OpenedMessage,
  inbox: InboxRecord,
  context: ActionContext,
): FullMessage {
  const { message, body } = opened
  const fields = readMessageFields(message.headers, message.tree)
  const recipients = (list: readonly Address[]): CleanText[] =>
    list.slice(0, maxRecipients).map(({ email }) => cleanLine(email))
  const { to_count: _, ...head } = renderHead(message)
  return {
    ...renderPlace(message, rowContextOf(context, inbox, null)),
    ...head,
    to: recipients(fields.to),
    ...(fields.to.length > maxRecipients ? { to_count: fields.to.length } : {}),
    ...renderFlags(message, opened),
    rfc_message_id: fields.rfcMessageId === null ? null : cleanLine(fields.rfcMessageId),
    sender: fields.sender === null ? null : renderPerson(fields.sender),
    reply_to: recipients(fields.replyTo),
    cc: recipients(fields.cc),
    bcc: recipients(fields.bcc),
    date_header: fields.date === null ? null : cleanLine(fields.date),
    size_bytes: message.sizeBytes,
    body_source: body?.source ?? 'none',
    quoted_from: body?.quotedFrom ?? null,
    attachments: opened.attachments.slice(0, maxAttachments).map((attachment) => ({
      attachment_index: attachment.index,
      filename: attachment.filename === null ? null : cleanLine(attachment.filename),
      mime_type: cleanLine(rawText(attachment.mimeType)),
      size_bytes: attachment.sizeBytes,
      inline: attachment.isInline,
    })),
    ...renderTrust(message, inbox),
    hidden_text_removed: body?.hiddenTextRemoved ?? 0,
    charset_guessed: body?.charsetGuessed ?? false,
    list_unsubscribe: findHeader(message.headers, 'List-Unsubscribe') !== null,
    warnings: [...new Set(opened.warnings)],
    untrusted_boundary: context.nonce,
  }
}

function renderFlags(
  { flags }: Message,
  { attachments }: OpenedMessage,
): Pick<FullMessage, 'unread' | 'flagged' | 'answered' | 'has_attachment'> {
  return {
    unread: !flags.seen,
    flagged: flags.flagged,
    answered: flags.answered,
    has_attachment: attachments.some(({ isInline }) => !isInline),
  }
}

function renderTrust(
  message: Message,
  inbox: InboxRecord,
): Pick<FullMessage, 'authentication' | 'sender_signals'> {
  const { spf, dkim, dmarc, evaluatedBy } = readAuthentication(message.headers, inbox.authservIds)
  return {
    authentication: { spf, dkim, dmarc, evaluated_by: evaluatedBy },
    sender_signals: senderSignals(readMessageFields(message.headers, message.tree), [inbox.emailAddress, ...inbox.aliases]),
  }
}

/**
 * The asked-for stretch of the body inside its fence. Window fields stand only where there is more than is shown,
 * before it or after it.
 */
export function renderWindow(
  body: RenderedBody,
  request: WindowRequest,
  nonce: string,
): Partial<FullMessage> {
  const window = fitWindow(body.text, request)
  const isWhole = window.offset === 0 && window.nextOffset === null
  return {
    body: fence(window.text, nonce),
    ...(isWhole
      ? {}
      : {
          body_truncated: window.nextOffset !== null,
          body_offset: window.offset,
          body_total_chars: window.totalChars,
          body_next_offset: window.nextOffset,
        }),
  }
}

/** The same for the markup, which has an offset of its own. */
export function renderHtmlWindow(
  body: RenderedBody,
  request: WindowRequest,
  nonce: string,
): Partial<FullMessage> {
  if (body.html === null) return { body_html: null }
  const window = fitWindow(body.html, { ...request, offset: request.htmlOffset })
  const isWhole = window.offset === 0 && window.nextOffset === null
  return {
    body_html: fence(window.text, nonce),
    ...(isWhole
      ? {}
      : { body_html_total_chars: window.totalChars, body_html_next_offset: window.nextOffset }),
  }
}

/** A window that is also within its tokens: a character of most scripts costs four times an ASCII one. */
function fitWindow(text: CleanText, { offset, maxChars, maxTokens }: WindowRequest): TextWindow {
  let window = windowText(text, offset, maxChars)
  for (let cost = estimateTokens(window.text); cost > maxTokens; cost = estimateTokens(window.text)) {
    window = windowText(text, offset, Math.floor(window.text.length * Math.min(0.95, maxTokens / cost)))
  }
  return window
}
