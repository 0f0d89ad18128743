import { requireScopes } from '@postern/access'
import { Fault } from '@postern/core'
import type { Attachment, ReadMail } from '@postern/mail'
import { requireFilename, type OutgoingFile } from '@postern/outbox'
import { openMessage } from '../catalog/email-read/open-message.ts'
import type { AttachmentArg } from '../compose-params.ts'
import type { WriteContext } from '../define-tool.ts'
import { requireRef, shownId } from '../message-ids.ts'
import { carryStoredFiles } from './carry-files.ts'
import { fetchSource } from './fetch-source.ts'
import { readInlineFile, requireInlineFits } from './read-inline-file.ts'
import { getMessage } from './read-original.ts'

const forms = {
  inline: ['filename', 'mime_type', 'data'],
  reference: ['source_message_id', 'attachment_index'],
  upload: ['upload_id'],
} as const
type Form = keyof typeof forms

/**
 * The files that a caller names, in order: given in the call, taken from a message of the inbox, or uploaded before.
 * @throws invalid_arguments (forms mixed, no base64), insufficient_scope (a file of a message without
 * read:attachments), attachment_not_found, attachment_too_large, message_not_found, source_unavailable.
 */
export async function gatherFiles(
  given: readonly AttachmentArg[],
  openMail: () => Promise<ReadMail>,
  context: WriteContext,
): Promise<readonly OutgoingFile[]> {
  const asked = given.map((file, index) => ({ file, place: `attachments ${index + 1}` }))
  const known = asked.map((one) => ({ ...one, form: formOf(one.file, one.place) }))
  if (known.some(({ form }) => form === 'reference'))
    requireScopes(context.principal, [['read:attachments']], context.operation)
  const files: OutgoingFile[] = []
  const inline: OutgoingFile[] = []
  for (const { file, place, form } of known) {
    if (form === 'inline') inline.push(readInlineFile(file, place))
    requireInlineFits(inline)
  }
  let next = 0
  for (const { file, place, form } of known) {
    const ready = form === 'inline' ? inline[next++] : undefined
    if (ready !== undefined) files.push(ready)
    else if (form === 'upload') files.push(await takeUpload(file, context))
    else files.push(await takeStored(file, place, await openMail(), context))
  }
  return files
}

function formOf(file: AttachmentArg, place: string): Form {
  const names = Object.keys(file)
  const fitting = (Object.keys(forms) as Form[]).filter((form) =>
    names.every((name) => (forms[form] as readonly string[]).includes(name)),
  )
  const [form] = fitting
  if (form !== undefined && names.length > 0) return form
  throw new Fault('invalid_arguments', {
    public: `${place} must have one form: filename, mime_type and data; or source_message_id and attachment_index; or upload_id. Nothing was sent or stored.`,
    details: { argument: 'attachments', given: names },
  })
}

async function takeUpload(
  { upload_id: id = '' }: AttachmentArg,
  context: WriteContext,
): Promise<OutgoingFile> {
  const { filename, mimeType, octets } = await context.deps.uploads.get(context.principal, id)
  return { filename: requireFilename(filename), mimeType, contentId: null, isInline: false, octets }
}

async function takeStored(
  { source_message_id: id, attachment_index: index }: AttachmentArg,
  place: string,
  mail: ReadMail,
  context: WriteContext,
): Promise<OutgoingFile> {
  if (id === undefined || index === undefined) {
    throw new Fault('invalid_arguments', {
      public: `${place} needs source_message_id and attachment_index. Nothing was sent or stored.`,
      details: { argument: 'attachments' },
    })
  }
  const ref = requireRef(id, context)
  const opened = await fetchSource(`The message of ${place}`, async () => {
    const message = await getMessage(mail, ref, id, context)
    const options = { links: 'none', includeHtml: false, withBody: false, pool: null } as const
    return openMessage(mail, message, options, context.call)
  })
  const wanted = opened.attachments.filter((attachment) => attachment.index === index)
  const [file] = await carryStoredFiles(ref, { opened, wanted }, mail, context)
  if (file === undefined) throw notAttached(id, index, opened.attachments)
  // Named by its place where it has no name, and shown as a file, whatever it was there.
  return { ...file, filename: file.filename ?? `attachment ${index}`, contentId: null, isInline: false }
}

function notAttached(messageId: string, index: number, attachments: readonly Attachment[]): Fault {
  return new Fault('attachment_not_found', {
    public: `The message has no attachment_index ${index}; details.available has those it has. Nothing was sent or stored.`,
    details: {
      source_message_id: shownId(messageId),
      available: attachments.slice(0, 20).map((one) => ({
        attachment_index: one.index,
        size_bytes: one.sizeBytes,
      })),
    },
  })
}
