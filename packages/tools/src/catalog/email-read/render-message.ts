import type { InboxRecord } from '@postern/access'
import {
  cleanLine,
  findHeader,
  rawText,
  readAuthentication,
  readMessageFields,
  senderSignals,
  type Address,
  type CleanText,
  type Message,
  type MessageFields,
} from '@postern/mail'
import type * as z from 'zod'
import { fitItems, truncated } from '../../budget.ts'
import type { ActionContext } from '../../define-tool.ts'
import type { fullMessage } from './full-message.ts'
import { maxSnippet, renderHead, renderPerson, renderPlace, rowContextOf } from './message-row.ts'
import type { OpenedMessage } from './open-message.ts'

export type FullMessage = z.input<typeof fullMessage>

/** Most of a list that one message shows, and the tokens it may take; the rest is counted. */
const shown = {
  recipients: { items: 100, tokens: 1_500 },
  attachments: { items: 200, tokens: 4_000 },
} as const

/** Everything but the body: who, where, when, how trustworthy, what is attached. */
export function renderMessage(
  opened: OpenedMessage,
  inbox: InboxRecord,
  context: ActionContext,
): FullMessage {
  const { message, body } = opened
  const fields = readMessageFields(message.headers, message.tree)
  const { to: _, to_count: __, ...head } = renderHead(message)
  return {
    ...renderPlace(message, rowContextOf(context, inbox, null)),
    ...head,
    snippet: body === null ? null : cleanLine(rawText(body.text.slice(0, 4 * maxSnippet)), maxSnippet),
    ...renderFlags(message, opened),
    rfc_message_id: fields.rfcMessageId === null ? null : cleanLine(fields.rfcMessageId),
    sender: fields.sender === null ? null : renderPerson(fields.sender),
    ...renderLists(fields, opened),
    date_header: fields.date === null ? null : cleanLine(fields.date),
    size_bytes: message.sizeBytes,
    body_source: opened.source,
    quoted_from: body?.quotedFrom ?? null,
    ...renderTrust(message, inbox),
    hidden_text_removed: body?.hiddenTextRemoved ?? 0,
    charset_guessed: body?.charsetGuessed ?? false,
    list_unsubscribe: findHeader(message.headers, 'List-Unsubscribe') !== null,
    warnings: [...new Set(opened.warnings)],
    untrusted_boundary: context.nonce,
  }
}

type Lists = 'to' | 'cc' | 'bcc' | 'reply_to' | 'attachments'
type Counts = 'to_count' | 'cc_count' | 'bcc_count' | 'reply_to_count' | 'attachment_count'

/** A list that is cut has its length beside it. */
export function renderLists(
  fields: MessageFields,
  { attachments }: OpenedMessage,
): Pick<FullMessage, Lists | Counts | 'truncated' | 'truncated_reason'> {
  const to = renderRecipients(fields.to)
  const cc = renderRecipients(fields.cc)
  const bcc = renderRecipients(fields.bcc)
  const replyTo = renderRecipients(fields.replyTo)
  const { items, tokens } = shown.attachments
  const files = fitItems(
    attachments.slice(0, items).map((attachment) => ({
      attachment_index: attachment.index,
      filename: attachment.filename === null ? null : cleanLine(attachment.filename),
      mime_type: cleanLine(rawText(attachment.mimeType)),
      size_bytes: attachment.sizeBytes,
      inline: attachment.isInline,
    })),
    tokens,
  )
  const counts: Partial<Record<Counts, number>> = {
    ...(to.length < fields.to.length ? { to_count: fields.to.length } : {}),
    ...(cc.length < fields.cc.length ? { cc_count: fields.cc.length } : {}),
    ...(bcc.length < fields.bcc.length ? { bcc_count: fields.bcc.length } : {}),
    ...(replyTo.length < fields.replyTo.length ? { reply_to_count: fields.replyTo.length } : {}),
    ...(files.length < attachments.length ? { attachment_count: attachments.length } : {}),
  }
  const cut = Object.keys(counts)
  return {
    to,
    cc,
    bcc,
    reply_to: replyTo,
    attachments: [...files],
    ...counts,
    ...(cut.length === 0
      ? {}
      : truncated(`This message has more than a result can list; ${cut.join(', ')} tell how many.`)),
  }
}

function renderRecipients(list: readonly Address[]): CleanText[] {
  const { items, tokens } = shown.recipients
  return [
    ...fitItems(
      list.slice(0, items).map(({ email }) => cleanLine(email)),
      tokens,
    ),
  ]
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
  const own = [inbox.emailAddress, ...inbox.aliases]
  return {
    authentication: { spf, dkim, dmarc, evaluated_by: evaluatedBy },
    sender_signals: senderSignals(readMessageFields(message.headers, message.tree), own),
  }
}
