import { sealMessageId } from '@postern/mail'
import * as z from 'zod'
import { defineAction } from '../../define-tool.ts'
import { messageNotFound, requireRef } from '../../message-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import { downloadFields, handOut } from './hand-out.ts'
import { readOctets } from './read-octets.ts'

const maxInlineBytes = 64 * 1024
const mimeType = 'message/rfc822' as const

export const original = defineAction({
  action: 'original',
  effect: 'read',
  scopes: [['read:email'], ['read:attachments']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({ message_id: params.messageId, inline: params.inline }),
  output: z.strictObject({
    message_id: z.string(),
    mime_type: z.literal(mimeType),
    size_bytes: z.number().int(),
    sha256: z.string(),
    ...downloadFields,
    inbox_id: z.string(),
    untrusted_content: untrusted,
  }),
  example: { message_id: 'm_...' },
  async run(input, context) {
    const inbox = onlyInbox(context)
    const ref = requireRef(input.message_id, context)
    const mail = await context.openMail(inbox)
    // Asked for first: it tells whether the message is there, and where it is now.
    const [found] = await mail.getMessages([ref], context.call)
    if (found === undefined) throw messageNotFound(input.message_id)
    if (!found.isFound)
      throw found.fault.code === 'message_not_found' ? messageNotFound(input.message_id) : found.fault
    const messageId = sealMessageId(context.deps.messageIdSigner, inbox.inboxId, found.value.ref)
    const { octets: stream } = await mail.openPart(found.value.ref, 'original', context.call)
    const { sizeBytes, sha256, octets } = await readOctets(
      stream,
      input.inline ? maxInlineBytes : 0,
      'message',
    )
    if (input.inline && octets === null)
      context.note('The message is larger than the 64 KiB that a result can hold: fetch it at download_url.')
    const download = await handOut(
      {
        messageId,
        partId: null,
        name: 'message.eml',
        mimeType,
        sizeBytes,
        octets: input.inline ? octets : null,
      },
      context,
    )
    return {
      message_id: messageId,
      mime_type: mimeType,
      size_bytes: sizeBytes,
      sha256,
      ...download,
      inbox_id: inbox.inboxId,
      untrusted_content: true as const,
    }
  },
})
