import {
  chooseBody,
  cleanBlock,
  cleanLine,
  decodeText,
  parseMime,
  readMessageFields,
  renderHtml,
  rawText,
  type CleanText,
  type Part,
  type RawText,
} from '@postern/mail'
import { carryFiles } from './carry-file.ts'
import type { HeldSend } from './held-send.ts'
import type { RecipientField } from './mailbox.ts'
import { readRecipients } from './read-recipients.ts'

/** A held message as whoever decides has to see it: everybody it goes to, and everything it says. */
export interface HeldDescription {
  readonly from: string
  readonly replyTo: readonly string[]
  readonly recipients: Readonly<Record<RecipientField, readonly string[]>>
  readonly subject: CleanText
  readonly text: CleanText
  /** What the HTML form reads as, where it says something else than the text; null where it does not, or is none. */
  readonly htmlText: CleanText | null
  readonly files: readonly {
    readonly filename: CleanText
    readonly mimeType: string
    readonly sizeBytes: number
  }[]
}

/** Reads what will be sent, not what was asked for. A reader of the HTML form alone must not read another message. */
export async function describeHeld({ message }: HeldSend): Promise<HeldDescription> {
  const { headers, tree } = parseMime(message.octets)
  const fields = readMessageFields(headers, tree)
  const recipients = readRecipients(headers)
  const emailsOf = (field: RecipientField): readonly string[] => recipients[field].map(({ email }) => email)
  const { parts, htmlParts } = chooseBody(tree)
  const text = cleanBlock(await readAll(parts.map(({ part, kind }) => ({ part, isHtml: kind === 'html' }))))
  const html = cleanBlock(await readAll(htmlParts.map((part) => ({ part, isHtml: true }))))
  return {
    from: message.envelope.from,
    replyTo: fields.replyTo.map(({ email }) => email),
    recipients: { to: emailsOf('to'), cc: emailsOf('cc'), bcc: emailsOf('bcc') },
    subject: cleanLine(fields.subject),
    text,
    htmlText: html === '' || wordsOf(html) === wordsOf(text) ? null : html,
    files: carryFiles(tree).map(({ filename, mimeType, octets }) => ({
      filename: cleanLine(rawText(filename ?? '')),
      mimeType,
      sizeBytes: octets.length,
    })),
  }
}

async function readAll(
  parts: readonly { readonly part: Part; readonly isHtml: boolean }[],
): Promise<RawText> {
  const texts: string[] = []
  for (const { part, isHtml } of parts) {
    const { text } = decodeText(part.content ?? new Uint8Array(), part.params.get('charset') ?? null)
    texts.push(isHtml ? (await renderHtml(text, { links: 'full', wantsMarkup: false }, null)).text : text)
  }
  return rawText(texts.join('\n\n').replaceAll('\r\n', '\n'))
}

/** Letters and digits alone: marks of quoting and layout differ between two forms of one text. */
function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '')
}
