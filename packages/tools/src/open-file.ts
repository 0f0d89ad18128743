import {
  chooseBody,
  walkParts,
  type Attachment,
  type Call,
  type Message,
  type MessageRef,
  type Part,
  type PartId,
  type RawText,
  type ReadMail,
} from '@postern/mail'
import { messageTree } from './message-tree.ts'

/** Octets a file, or a stored message, may have to be handed out. */
export const maxFileBytes = 25 * 1024 * 1024

/** A file on its way out: what its message says about it, and its octets, transfer encoding undone. */
export interface OpenFile {
  readonly filename: RawText | null
  readonly mimeType: string
  readonly octets: AsyncIterable<Uint8Array>
}

/** A message with the files in it. */
export interface Files {
  readonly message: Message
  readonly tree: Part
  readonly attachments: readonly Attachment[]
}

/** @returns null where the message is not there. @throws message_too_large, provider_*, timeout. */
export async function listFiles(mail: ReadMail, ref: MessageRef, call: Call): Promise<Files | null> {
  const [found] = await mail.getMessages([ref], call)
  if (found === undefined) return null
  if (!found.isFound) {
    if (found.fault.code === 'message_not_found') return null
    throw found.fault
  }
  const { tree } = await messageTree(mail, found.value, call)
  return { message: found.value, tree, attachments: chooseBody(tree).attachments }
}

/** The octets of one of the files, from the message at hand or in pieces from the provider. */
export async function openAttachment(
  mail: ReadMail,
  { message, tree }: Files,
  { partId, encoding }: Attachment,
  call: Call,
): Promise<AsyncIterable<Uint8Array>> {
  const content = [...walkParts(tree)].find(({ id }) => id === partId)?.content ?? null
  if (content !== null) return oneChunk(content)
  return (await mail.openPart(message.ref, { partId, encoding }, call)).octets
}

/**
 * One file of a message by its part, or the stored message for null, as it is handed out to whoever has a link.
 * @returns null where it is not there. @throws message_too_large, provider_*, timeout; the stream throws the same.
 */
export async function openFile(
  mail: ReadMail,
  ref: MessageRef,
  partId: PartId | null,
  call: Call,
): Promise<OpenFile | null> {
  if (partId === null) {
    const { octets } = await mail.openPart(ref, 'original', call)
    return { filename: null, mimeType: 'message/rfc822', octets }
  }
  const files = await listFiles(mail, ref, call)
  const attachment = files?.attachments.find((candidate) => candidate.partId === partId)
  if (files === null || attachment === undefined) return null
  const { filename, mimeType } = attachment
  return { filename, mimeType, octets: await openAttachment(mail, files, attachment, call) }
}

async function* oneChunk(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content
}
