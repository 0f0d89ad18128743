import { Fault } from '@postern/core'
import { extractText, fence, walkParts, type ExtractedText, type ExtractionWarning } from '@postern/mail'
import * as z from 'zod'
import { roomBeside } from '../../budget.ts'
import { defineAction, type ActionContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { maxFileBytes, openAttachment } from '../../open-file.ts'
import { cleanText, untrusted } from '../../outputs.ts'
import * as params from '../../params.ts'
import {
  attachmentFields,
  findAttachment,
  renderAttachment,
  type FoundAttachment,
} from './find-attachment.ts'
import { readOctets } from './read-octets.ts'
import { fitWindow } from './render-window.ts'

/** Tokens of a result beside its text: fences, window fields, the arguments to continue with. */
const windowTokens = 400

export const extract = defineAction({
  action: 'extract',
  effect: 'read',
  scopes: [['read:email'], ['read:attachments']],
  target: 'inbox',
  seconds: 25,
  input: z.strictObject({
    message_id: params.messageId,
    attachment_index: params.attachmentIndex,
    filename: params.filename,
    body_max_chars: params.bodyMaxChars,
    body_offset: params.bodyOffset,
  }),
  output: z.strictObject({
    ...attachmentFields,
    extraction: z
      .enum(['text', 'none'])
      .describe('none: the file has no text layer, as a scan has none; nothing is recognised in pictures.'),
    text: cleanText
      .describe('Fenced by untrusted_boundary; offsets count the text without the fence.')
      .optional(),
    body_truncated: z.boolean().optional(),
    body_offset: z.number().int().optional(),
    body_total_chars: z.number().int().optional(),
    body_next_offset: z.number().int().nullable().optional(),
    body_continue: z
      .record(z.string(), z.unknown())
      .describe('Arguments of the call that goes on where the body was cut.')
      .optional(),
    hidden_text_removed: z.number().int(),
    charset_guessed: z.boolean(),
    warnings: z.array(z.string()),
    untrusted_boundary: z.string(),
    inbox_id: z.string(),
    untrusted_content: untrusted,
  }),
  example: { message_id: 'm_...', attachment_index: 0 },
  async run(input, context) {
    const found = await findAttachment(input, context)
    const stream = await openAttachment(found.mail, found.files, found.attachment, context.call)
    const { sizeBytes, octets } = await readOctets(stream, maxFileBytes, 'attachment')
    const extracted = await extractFrom(found, octets ?? new Uint8Array(), context)
    const head = {
      ...renderAttachment(found, sizeBytes),
      extraction: extracted.text === '' ? ('none' as const) : ('text' as const),
      hidden_text_removed: extracted.hiddenTextRemoved,
      charset_guessed: extracted.charsetGuessed,
      warnings: [...extracted.warnings],
      untrusted_boundary: context.nonce,
      inbox_id: onlyInbox(context).inboxId,
      untrusted_content: true as const,
    }
    if (extracted.text === '') return head
    return { ...head, ...renderText(extracted, input, { found, head, context }) }
  },
})

interface Around {
  readonly found: FoundAttachment
  readonly head: Readonly<Record<string, unknown>>
  readonly context: ActionContext
}

/** The asked-for stretch of the text, with the window fields of a body. */
function renderText(
  { text }: ExtractedText,
  { body_offset: offset, body_max_chars: maxChars }: { body_offset: number; body_max_chars: number },
  { found, head, context }: Around,
) {
  const maxTokens = roomBeside(context, head) - windowTokens
  const window = fitWindow(text, { offset, maxChars, maxTokens })
  const fenced = { text: fence(window.text, context.nonce) }
  if (window.offset === 0 && window.nextOffset === null) return fenced
  return {
    ...fenced,
    body_truncated: window.nextOffset !== null,
    body_offset: window.offset,
    body_total_chars: window.totalChars,
    body_next_offset: window.nextOffset,
    ...(window.nextOffset === null
      ? {}
      : {
          body_continue: {
            action: 'extract',
            message_id: found.messageId,
            attachment_index: found.attachment.index,
            body_offset: window.nextOffset,
            ...(maxChars === params.defaultBodyChars ? {} : { body_max_chars: maxChars }),
            ...(context.reachable.length > 1 ? { inbox_id: onlyInbox(context).inboxId } : {}),
          },
        }),
  }
}

/** @throws extraction_unsupported rather than an empty text for what may well hold one; service_busy. */
async function extractFrom(
  { files, attachment }: FoundAttachment,
  octets: Uint8Array,
  { deps, principal }: ActionContext,
): Promise<ExtractedText> {
  const part = [...walkParts(files.tree)].find(({ id }) => id === attachment.partId)
  const extracted =
    part === undefined
      ? null
      : await extractText(part, octets, {
          owner: principal.tenantId,
          documents: deps.documentPool,
          html: deps.htmlPool?.of(principal.tenantId) ?? null,
        })
  if (extracted === null) throw unsupported(attachment.mimeType, 'of this type', 'type')
  if ('failure' in extracted) {
    if (extracted.failure === 'busy') throw busy()
    throw unsupported(attachment.mimeType, 'within its limits on time and memory', 'limits')
  }
  const obstacle = extracted.warnings.find((warning) => obstacles[warning] !== undefined)
  if (extracted.text === '' && obstacle !== undefined)
    throw unsupported(attachment.mimeType, obstacles[obstacle] ?? '', obstacle)
  return extracted
}

const obstacles: Partial<Readonly<Record<ExtractionWarning, string>>> = {
  document_encrypted: 'without its password',
  document_damaged: 'since it is damaged or not what its type says',
  document_too_large: 'since it unfolds into more than is read',
}

function unsupported(mimeType: string, why: string, reason: string): Fault {
  return new Fault('extraction_unsupported', {
    public: `No text can be taken out of this file ${why}. Text comes out of text, JSON, CSV, HTML, PDF, DOCX, XLSX and PPTX; email_read attachment gives the file itself. Nothing was changed.`,
    details: { reason, mime_type: nameType(mimeType) },
  })
}

/** A type is what the sender wrote: only what everybody writes is repeated, of others no more than the kind. */
function nameType(mimeType: string): string {
  const kind = /^(?:image|audio|video|text|font)(?=\/)/.exec(mimeType)?.[0] ?? 'other'
  return commonTypes.has(mimeType) ? mimeType : kind
}

const commonTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'application/zip',
  'application/gzip',
  'application/x-7z-compressed',
  'application/msword',
  'application/rtf',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.ms-outlook',
  'application/octet-stream',
  'application/pgp-signature',
  'application/pkcs7-signature',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/heic',
  'image/svg+xml',
  'message/rfc822',
  'text/rtf',
])

function busy(): Fault {
  return new Fault('service_busy', {
    public: 'Too many files are being read just now. Nothing was changed; repeat it in a few seconds.',
    retryAfterSeconds: 5,
  })
}
