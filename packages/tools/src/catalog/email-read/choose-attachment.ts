import { Fault } from '@postern/core'
import { cleanLine, type Attachment } from '@postern/mail'

export interface AttachmentChoice {
  readonly attachment_index?: number | undefined
  readonly filename?: string | undefined
}

/** Files that an error lists; their names are a stranger's words, so it tells places and sizes. */
const maxListed = 12

/**
 * The file that is meant: by its index, else by its whole name, else the only one.
 * @throws attachment_not_found, attachment_ambiguous, with the indexes and sizes of those there are.
 */
export function chooseAttachment(attachments: readonly Attachment[], choice: AttachmentChoice): Attachment {
  const { attachment_index: index, filename } = choice
  const matching =
    index !== undefined
      ? attachments.filter((attachment) => attachment.index === index)
      : attachments.filter((attachment) => filename === undefined || isNamed(attachment, filename))
  const [only, second] = matching
  if (only === undefined) throw notFound(attachments, choice)
  if (second !== undefined) throw ambiguous(matching)
  return only
}

/** Names are given as a result showed them, which may differ from how they were sent. */
function isNamed({ filename }: Attachment, wanted: string): boolean {
  if (filename === null) return false
  const fold = (name: string): string => name.normalize('NFC').toLowerCase()
  return fold(filename) === fold(wanted) || fold(cleanLine(filename)) === fold(wanted)
}

function notFound(attachments: readonly Attachment[], { attachment_index: index }: AttachmentChoice): Fault {
  const what = index === undefined ? 'of that name' : `with attachment_index ${String(index)}`
  return new Fault('attachment_not_found', {
    public:
      attachments.length === 0
        ? 'This message has no attachments. Nothing was changed.'
        : `This message has no attachment ${what}. details.available tells which there are; email_read read shows their names. Nothing was changed.`,
    details: { ...available(attachments) },
  })
}

function ambiguous(matching: readonly Attachment[]): Fault {
  return new Fault('attachment_ambiguous', {
    public:
      'Several attachments of this message may be meant. Pass attachment_index; details.available tells which there are. Nothing was changed.',
    details: available(matching),
  })
}

function available(attachments: readonly Attachment[]): Readonly<Record<string, unknown>> {
  const listed = attachments
    .slice(0, maxListed)
    .map(({ index, sizeBytes }) => ({ attachment_index: index, size_bytes: sizeBytes }))
  return {
    available: listed,
    ...(listed.length < attachments.length ? { attachment_count: attachments.length } : {}),
  }
}
