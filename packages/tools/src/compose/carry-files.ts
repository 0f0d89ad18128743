import { Fault } from '@postern/core'
import { walkParts, type Attachment, type MessageRef, type Part, type ReadMail } from '@postern/mail'
import { carryFile, maxFilesBytes, requireFilesFit, type OutgoingFile } from '@postern/outbox'
import type { OpenedMessage } from '../catalog/email-read/open-message.ts'
import type { WriteContext } from '../define-tool.ts'
import { collect } from './collect.ts'
import { fetchSource } from './fetch-source.ts'

/**
 * Files of a stored message that go on in another one, octet for octet.
 * @param wanted some of `opened.attachments`.
 * @throws attachment_too_large naming the first that does not fit, before any is fetched; source_unavailable.
 */
export async function carryStoredFiles(
  ref: MessageRef,
  { opened, wanted }: { readonly opened: OpenedMessage; readonly wanted: readonly Attachment[] },
  mail: ReadMail,
  context: WriteContext,
): Promise<readonly OutgoingFile[]> {
  const sizes = wanted.map(({ index, sizeBytes }) => ({ label: labelOf(index), sizeBytes: sizeBytes ?? 0 }))
  requireFilesFit(sizes)
  const parts = new Map(Array.from(walkParts(opened.tree), (part) => [part.id, part]))
  const files: OutgoingFile[] = []
  for (const { index, partId, isInline } of wanted) {
    const part = parts.get(partId)
    if (part === undefined) throw new TypeError('an attachment of another message')
    const octets = await fetchSource(`The file with ${labelOf(index)} of the message`, () =>
      octetsOf(ref, part, mail, context),
    )
    files.push(carryFile(part, octets, isInline))
  }
  return files
}

async function octetsOf(
  ref: MessageRef,
  { id, encoding, content }: Part,
  mail: ReadMail,
  { call }: WriteContext,
): Promise<Uint8Array> {
  if (content !== null) return content
  const stream = await mail.openPart(ref, { partId: id, encoding }, call)
  return collect(stream, maxFilesBytes, () => {
    return new Fault('attachment_too_large', {
      public: `A file of the message has more than ${maxFilesBytes} bytes, and that is the most that goes with a message. Nothing was sent or stored.`,
      details: { limit_bytes: maxFilesBytes },
    })
  })
}

function labelOf(index: number): string {
  return `attachment_index ${index}`
}
