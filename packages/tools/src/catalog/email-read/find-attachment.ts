import { cleanLine, rawText, sealMessageId, type Attachment, type ReadMail } from '@postern/mail'
import * as z from 'zod'
import type { ActionContext } from '../../define-tool.ts'
import { messageNotFound, requireRef } from '../../message-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { listFiles, type Files } from '../../open-file.ts'
import { cleanText } from '../../outputs.ts'
import { chooseAttachment, type AttachmentChoice } from './choose-attachment.ts'

export interface FoundAttachment {
  readonly mail: ReadMail
  readonly files: Files
  readonly attachment: Attachment
  /** As it is now: a message that moved has another id. */
  readonly messageId: string
}

/** @throws message_not_found, attachment_not_found, attachment_ambiguous, provider_*, timeout. */
export async function findAttachment(
  { message_id: asked, ...choice }: AttachmentChoice & { readonly message_id: string },
  context: ActionContext,
): Promise<FoundAttachment> {
  const inbox = onlyInbox(context)
  const ref = requireRef(asked, context)
  const mail = await context.openMail(inbox)
  const files = await listFiles(mail, ref, context.call)
  if (files === null) throw messageNotFound(asked)
  return {
    mail,
    files,
    attachment: chooseAttachment(files.attachments, choice),
    messageId: sealMessageId(context.deps.messageIdSigner, inbox.inboxId, files.message.ref),
  }
}

/** What a message says about a file. */
export const attachmentFields = {
  message_id: z.string(),
  attachment_index: z.number().int(),
  filename: cleanText.nullable(),
  mime_type: cleanText,
  size_bytes: z.number().int(),
  inline: z.boolean(),
} as const

/** @param sizeBytes as it was counted: what a message says is an estimate. */
export function renderAttachment({ attachment, messageId }: FoundAttachment, sizeBytes: number) {
  return {
    message_id: messageId,
    attachment_index: attachment.index,
    filename: attachment.filename === null ? null : cleanLine(attachment.filename),
    mime_type: cleanLine(rawText(attachment.mimeType)),
    size_bytes: sizeBytes,
    inline: attachment.isInline,
  }
}
