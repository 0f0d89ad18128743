import { Fault, quote } from '@postern/core'
import { requireFilename, type OutgoingFile } from '@postern/outbox'
import type { AttachmentArg } from '../compose-params.ts'

/** Octets that all files given within one call may have together. */
export const maxInlineBytes = 10 * 1024 * 1024

/** Letters, digits and marks on either side of one slash, then parameters of plain characters. RFC 2045 5.1. */
const typeShape = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; ?[\w.-]{1,40}="?[\w .+-]{1,60}"?){0,5}$/

/**
 * A file whose octets stand in the arguments. @param place `attachments 1` and so on.
 * @throws invalid_arguments; nothing was sent or stored.
 */
export function readInlineFile(
  { filename, mime_type: type, data }: AttachmentArg,
  place: string,
): OutgoingFile {
  if (filename === undefined || type === undefined || data === undefined)
    throw refused(`${place} needs filename, mime_type and data`)
  if (!typeShape.test(type))
    throw refused(`${place}: ${quote(type)} is no media type such as application/pdf`)
  const octets = Buffer.from(data, 'base64')
  // What decodes is not yet base64: characters that are none are passed over in silence, and a file would lack octets.
  if (octets.toString('base64') !== data)
    throw refused(`${place}: data is not base64 in its one strict form, padded and without line breaks`)
  return { filename: requireFilename(filename), mimeType: type, contentId: null, isInline: false, octets }
}

/** @throws attachment_too_large; nothing was sent or stored. */
export function requireInlineFits(files: readonly OutgoingFile[]): void {
  const total = files.reduce((sum, { octets }) => sum + octets.length, 0)
  if (total <= maxInlineBytes) return
  throw new Fault('attachment_too_large', {
    public: `The files given as data have ${total} bytes together, and at most ${maxInlineBytes} are taken so. Nothing was sent or stored. Larger files go by upload_id or source_message_id.`,
    details: { argument: 'attachments', size_bytes: total, limit_bytes: maxInlineBytes },
  })
}

function refused(what: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${what}. Nothing was sent or stored.`,
    details: { argument: 'attachments' },
  })
}
