import { holdsScopes, type InboxRecord, type Principal } from '@postern/access'
import type { Signer } from '@postern/core'
import {
  chooseBody,
  cleanLine,
  decodeSnippet,
  nameNativeThread,
  renderSnippet,
  readMessageFields,
  sealMessageId,
  type Address,
  type CleanText,
  type Message,
  type MessageRow,
} from '@postern/mail'
import type { ActionContext } from '../../define-tool.ts'
import type { MessageRowOutput } from '../../outputs.ts'

/** Characters of a snippet. */
export const maxSnippet = 100
const maxListedRecipients = 3

export interface RowContext {
  readonly inbox: InboxRecord
  readonly principal: Principal
  readonly signer: Signer
  /** The folder the caller named, if it named one: a row says where it is only where that differs. */
  readonly folderId: string | null
  /** Keywords of IMAP are no labels: only providers that have labels show them. */
  readonly hasLabels: boolean
  /** Rows of several inboxes name theirs. */
  readonly isFanOut: boolean
}

/** A row of a listing. What could not be read of a message is left empty and said in `row_error`; the row stays. */
export function renderRow({ message, isBroken }: MessageRow, context: RowContext): MessageRowOutput {
  const mayReadText = holdsScopes(context.principal, [['read:email']])
  return {
    ...renderPlace(message, context),
    ...renderHead(message),
    ...(mayReadText ? { snippet: renderPreview(message) } : {}),
    size_bytes: message.sizeBytes,
    ...(message.flags.seen ? {} : { unread: true as const }),
    ...(message.flags.flagged ? { flagged: true as const } : {}),
    ...(message.flags.answered ? { answered: true as const } : {}),
    ...(hasAttachment(message) ? { has_attachment: true as const } : {}),
    ...(isBroken
      ? { row_error: 'The mail server described this message incompletely; what is missing is left empty.' }
      : {}),
  }
}

/** Where a message is and under which ids; shared by rows and full reads. */
export function renderPlace(
  message: Message,
  { inbox, signer, folderId, isFanOut, hasLabels }: RowContext,
): Pick<MessageRowOutput, 'message_id' | 'inbox_id' | 'thread_id' | 'folder_id' | 'folder_name' | 'labels'> {
  const folderName = message.folderName === null ? null : cleanLine(message.folderName)
  return {
    message_id: sealMessageId(signer, inbox.inboxId, message.ref),
    ...(isFanOut ? { inbox_id: inbox.inboxId } : {}),
    thread_id: nameNativeThread(message.nativeThreadId),
    folder_id: message.folderId,
    ...(folderName === null || folderName === message.folderId || message.folderId === folderId
      ? {}
      : { folder_name: folderName }),
    ...(!hasLabels || message.labels.length === 0
      ? {}
      : { labels: message.labels.map((label) => cleanLine(label)) }),
  }
}

/** Who, to whom, what about, when. */
export function renderHead(
  message: Message,
): Pick<MessageRowOutput, 'from' | 'to' | 'to_count' | 'subject' | 'date'> {
  const fields = readMessageFields(message.headers, message.tree)
  const [from] = fields.from
  return {
    from: from === undefined ? null : renderPerson(from),
    to: fields.to.slice(0, maxListedRecipients).map(({ email }) => cleanLine(email)),
    ...(fields.to.length > maxListedRecipients ? { to_count: fields.to.length } : {}),
    subject: cleanLine(fields.subject),
    date: message.receivedAt.toISOString(),
  }
}

export function renderPerson({ name, email }: Address): { name: CleanText | null; email: CleanText } {
  return { name: name === null || name === '' ? null : cleanLine(name), email: cleanLine(email) }
}

export function renderPreview({ preview, tree }: Message): CleanText | null {
  if (preview === null) return null
  if (preview.kind === 'text') return cleanLine(preview.text, maxSnippet)
  const snippet = tree === null ? null : decodeSnippet(tree, preview.partId, preview.octets)
  if (snippet === null) return null
  return renderSnippet(snippet, maxSnippet)
}

export function hasAttachment({ tree }: Message): boolean {
  return tree !== null && chooseBody(tree).attachments.some(({ isInline }) => !isInline)
}

/** The context of an inbox's rows, in the terms of the running action. */
export function rowContextOf(
  { deps, principal, inboxes }: ActionContext,
  inbox: InboxRecord,
  folderId: string | null,
): RowContext {
  const hasLabels = deps.capabilitiesOf(inbox.provider).labels
  return { inbox, principal, signer: deps.messageIdSigner, folderId, hasLabels, isFanOut: inboxes.length > 1 }
}
