import { Fault } from '@postern/core'
import { ownText, readMessageFields, type Message, type MessageRef, type ReadMail } from '@postern/mail'
import { maxFilesBytes, usableMailboxes, type Original } from '@postern/outbox'
import { openMessage, type OpenedMessage } from '../catalog/email-read/open-message.ts'
import type { WriteContext } from '../define-tool.ts'
import { messageNotFound, requireRef } from '../message-ids.ts'
import { collect } from './collect.ts'
import { fetchSource } from './fetch-source.ts'

/** How much of an original is wanted: a forward as a file needs no text of it. */
export interface OriginalOptions {
  readonly withBody: boolean
  readonly includeHtml: boolean
  /** Pictures of the message go along, so its markup may show them. */
  readonly keepsPictures: boolean
}

/** A message that is answered or forwarded. */
export interface ReadOriginal {
  readonly ref: MessageRef
  readonly opened: OpenedMessage
  readonly original: Original
}

/** @throws message_not_found, inbox_mismatch, source_unavailable. */
export async function readOriginal(
  messageId: string,
  options: OriginalOptions,
  mail: ReadMail,
  context: WriteContext,
): Promise<ReadOriginal> {
  const ref = requireRef(messageId, context)
  return fetchSource('The original message', async () => {
    const message = await getMessage(mail, ref, messageId, context)
    const pool = context.deps.htmlPool?.of(context.principal.tenantId) ?? null
    const opened = await openMessage(mail, message, { links: 'full', ...options, pool }, context.call)
    return {
      ref,
      opened,
      original: {
        headers: message.headers,
        fields: readMessageFields(message.headers, message.tree),
        receivedAt: message.receivedAt,
        text: opened.body?.text ?? ownText(''),
        html: opened.body?.html ?? null,
      },
    }
  })
}

/** @throws message_not_found, what the mail server failed at. */
export async function getMessage(
  mail: ReadMail,
  ref: MessageRef,
  messageId: string,
  { call }: WriteContext,
): Promise<Message> {
  const [found] = await mail.getMessages([ref], call)
  if (found === undefined) throw messageNotFound(messageId)
  if (!found.isFound)
    throw found.fault.code === 'message_not_found' ? messageNotFound(messageId) : found.fault
  return found.value
}

/** The stored octets of a message, to be sent on as they are. @throws attachment_too_large, source_unavailable. */
export async function readOctets(
  ref: MessageRef,
  mail: ReadMail,
  { call }: WriteContext,
): Promise<Uint8Array> {
  return fetchSource('The original message', async () =>
    collect(await mail.openPart(ref, 'original', call), maxFilesBytes, () => {
      return new Fault('attachment_too_large', {
        public: `The original has more than ${maxFilesBytes} bytes, and that is the most that goes with a message. Nothing was sent.`,
        details: { limit_bytes: maxFilesBytes },
      })
    }),
  )
}

/**
 * Everyone named in the conversation, asked only where a rule needs it. Drafts name nobody: whoever may write one could
 * let it name anybody.
 * @throws provider_*, timeout.
 */
export function participantsOf(
  ref: MessageRef,
  mail: ReadMail,
  { call }: WriteContext,
): () => Promise<readonly string[]> {
  return async () => {
    const { messages } = await mail.listThread(ref, call)
    const written = messages.filter(({ flags }) => !flags.draft)
    return written.flatMap(({ headers, tree }) => {
      const { from, sender, replyTo, to, cc } = readMessageFields(headers, tree)
      return usableMailboxes([...from, sender, ...replyTo, ...to, ...cc]).map(({ email }) => email)
    })
  }
}
