import * as z from 'zod'
import { defineAction } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { openAttachment } from '../../open-file.ts'
import { untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { attachmentFields, findAttachment, renderAttachment } from './find-attachment.ts'
import { downloadFields, handOut } from './hand-out.ts'
import { readOctets } from './read-octets.ts'

const maxInlineBytes = 1024 * 1024

export const attachment = defineAction({
  action: 'attachment',
  effect: 'read',
  scopes: [['read:email'], ['read:attachments']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    message_id: params.messageId,
    attachment_index: params.attachmentIndex,
    filename: params.filename,
    inline: params.inline,
  }),
  output: z.strictObject({
    ...attachmentFields,
    sha256: z.string(),
    ...downloadFields,
    inbox_id: z.string(),
    untrusted_content: untrusted,
  }),
  example: { message_id: 'm_...', attachment_index: 0 },
  async run(input, context) {
    const found = await findAttachment(input, context)
    const stream = await openAttachment(found.mail, found.files, found.attachment, context.call)
    const { sizeBytes, sha256, octets } = await readOctets(
      stream,
      input.inline ? maxInlineBytes : 0,
      'attachment',
    )
    if (input.inline && octets === null)
      context.note('The file is larger than the 1 MiB that a result can hold: fetch it at download_url.')
    const head = renderAttachment(found, sizeBytes)
    const download = await handOut(
      {
        messageId: found.messageId,
        partId: found.attachment.partId,
        name: head.filename ?? `attachment-${String(found.attachment.index)}`,
        mimeType: head.mime_type,
        sizeBytes,
        octets: input.inline ? octets : null,
      },
      context,
    )
    return {
      ...head,
      sha256,
      ...download,
      inbox_id: onlyInbox(context).inboxId,
      untrusted_content: true as const,
    }
  },
})
