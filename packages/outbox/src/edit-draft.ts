import {
  chooseBody,
  decodeText,
  findQuotedHistory,
  parseMime,
  readMessageFields,
  readThreadLinks,
  renderHtml,
  type HtmlParser,
  type Part,
  type RawText,
} from '@postern/mail'
import { carryFiles } from './carry-file.ts'
import type { Letter, OwnText } from './letter.ts'
import { lettersOf } from './letters.ts'
import type { Mailbox, Recipients } from './mailbox.ts'
import { usableMailboxes } from './original.ts'
import type { OutgoingFile } from './outgoing-file.ts'
import { htmlQuoteMark, joinTexts, quoteAsHtml } from './quote.ts'
import { readRecipients } from './read-recipients.ts'
import { sign, type Signature } from './signature.ts'
import { appendHtml, endOfBody } from './text-to-html.ts'

/** What a caller changes of a draft. Null keeps what is stored; an empty list clears it. */
export interface DraftChange {
  readonly own: OwnText
  readonly subject: string | null
  readonly to: readonly Mailbox[] | null
  readonly cc: readonly Mailbox[] | null
  readonly bcc: readonly Mailbox[] | null
  readonly from: Mailbox | null
  readonly files: readonly OutgoingFile[] | null
  /** To stand below the own text; null for none. */
  readonly signature: Signature | null
  /** Every signature of the owner: one that the new text brings along is not added to. */
  readonly knownSignatures: readonly Signature[]
}

export interface EditedDraft {
  readonly letter: Letter
  /** The stored HTML form said what the old text said, and went with it. */
  readonly isHtmlDropped: boolean
}

export interface EditOptions {
  /** The sender where neither the draft nor the change names one that can be used. */
  readonly defaultFrom: Mailbox
  readonly pool: HtmlParser | null
}

/**
 * The next revision of a stored draft: new own text, signature below it, and what is not changed as it was: quote,
 * thread, recipients, files. Nothing is added twice, also if the new text was made from the rendered old one.
 * @throws recipient_invalid for a stored recipient that is none.
 */
export async function editDraft(
  stored: Uint8Array,
  change: DraftChange,
  options: EditOptions,
): Promise<EditedDraft> {
  const { headers, tree } = parseMime(stored)
  const fields = readMessageFields(headers, tree)
  const { chain } = readThreadLinks(headers)
  const old = await readStoredText(tree, options.pool)
  const quote = chain.length === 0 ? null : splitQuote(old.text).quote
  const own = sign(withoutQuote(change.own, quote), change.signature, change.knownSignatures)
  const letter: Letter = {
    ...keepRecipients(change, () => readRecipients(headers)),
    from: change.from ?? usableMailboxes(fields.from)[0] ?? options.defaultFrom,
    replyTo: usableMailboxes(fields.replyTo)[0] ?? null,
    // A decoded one may hold line breaks.
    subject: change.subject ?? fields.subject.replace(/[\r\n\0]+/g, ' '),
    text: quote === null ? own.text : joinTexts(own.text, quote),
    html:
      own.html === null || quote === null ? own.html : appendHtml(own.html, storedHtmlQuote(old.html, quote)),
    inReplyTo: chain.at(-1) ?? null,
    references: chain,
    files: keepFiles(carryFiles(tree), change),
  }
  return { letter, isHtmlDropped: old.html !== null && change.own.html === null }
}

/** Reads a stored recipient only where it is kept: one that is none can be replaced. */
function keepRecipients({ to, cc, bcc }: DraftChange, read: () => Recipients): Recipients {
  if (to !== null && cc !== null && bcc !== null) return { to, cc, bcc }
  const stored = read()
  return { to: to ?? stored.to, cc: cc ?? stored.cc, bcc: bcc ?? stored.bcc }
}

/** Pictures belong to the HTML text that shows them, not to the list of files. */
function keepFiles(stored: readonly OutgoingFile[], { own, files }: DraftChange): readonly OutgoingFile[] {
  const isShown = ({ contentId, isInline }: OutgoingFile): boolean => contentId !== null && isInline
  const pictures = own.html === null ? [] : stored.filter(isShown)
  return [...(files ?? stored.filter((file) => !isShown(file))), ...pictures]
}

interface StoredText {
  readonly text: string
  readonly html: string | null
}

async function readStoredText(tree: Part, pool: HtmlParser | null): Promise<StoredText> {
  const { parts, htmlParts } = chooseBody(tree)
  const texts: string[] = []
  for (const { part, kind } of parts) {
    const text = textOf(part)
    const isHtml = kind === 'html'
    texts.push(isHtml ? (await renderHtml(text, { links: 'full', wantsMarkup: false }, pool)).text : text)
  }
  return {
    text: texts.join('\n\n').replaceAll('\r\n', '\n'),
    html: htmlParts.length === 0 ? null : htmlParts.map(textOf).join(''),
  }
}

function textOf({ content, params }: Part): RawText {
  return decodeText(content ?? new Uint8Array(), params.get('charset') ?? null).text
}

interface SplitText {
  readonly own: string
  readonly quote: string | null
}

function splitQuote(text: string): SplitText {
  // History above which nothing stands is none for a reader; in a draft the own text may be still to come.
  const above = 'x\n\n'
  const start = findQuotedHistory(`${above}${text}`)
  if (start === null) return { own: text, quote: null }
  const at = Math.max(0, start - above.length)
  return { own: text.slice(0, at), quote: text.slice(at).trimEnd() }
}

/** The new text without the quote that it may have been read with. Another quote in it is its own. */
function withoutQuote({ text, html }: OwnText, quote: string | null): OwnText {
  if (quote === null) return { text, html }
  const split = splitQuote(text)
  const isSame = split.quote !== null && lettersOf(split.quote) === lettersOf(quote)
  const mark = html === null ? -1 : html.indexOf(htmlQuoteMark)
  return {
    text: isSame ? split.own : text,
    html: html === null || mark === -1 ? html : `${html.slice(0, mark)}${html.slice(endOfBody(html))}`,
  }
}

/** The quote as the stored HTML has it, where that is known to be one, else made of the text. */
function storedHtmlQuote(html: string | null, quote: string): string {
  const mark = html?.indexOf(htmlQuoteMark) ?? -1
  return html === null || mark === -1 ? quoteAsHtml(quote) : `<br>${html.slice(mark, endOfBody(html))}`
}
