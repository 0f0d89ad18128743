import { mapInTurns } from '@postern/core'
import { bufferOver } from './buffer-over.ts'
import { decodeText, isKnownCharset } from './charset.ts'
import { cutGraphemes } from './cut-graphemes.ts'
import { renderTextLinks, type LinksMode } from './links.ts'
import type { HtmlParser } from './parse-pool.ts'
import type { Part, PartId } from './part.ts'
import { findQuotedHistory } from './quoted-history.ts'
import { renderHtml, type RenderedHtml } from './render-html.ts'
import { stripInvisible } from './strip-invisible.ts'
import { rawText, type CleanText, type RawText } from './text.ts'
import { unflow } from './unflow.ts'
import { cleanBlock, joinClean, ownText, sliceClean } from './untrusted.ts'

/** Longest body that is rendered, in UTF-16 units; far above any window. */
export const maxBodyChars = 2_000_000

/** A chosen part with what `readParts` brought of it. */
export interface BodyContent {
  readonly part: Part
  readonly kind: 'plain' | 'html'
  readonly content: Uint8Array
  /** As in `PartContent`. */
  readonly isCut: boolean
  readonly isDamaged: boolean
}

export interface RenderBodyOptions {
  readonly links: LinksMode
  /** Where long HTML is parsed; null parses in place. */
  readonly pool: HtmlParser | null
  /** As in `RenderHtmlOptions`. */
  readonly keepsPictures?: boolean
}

/** What could not be read as it was meant; the rest of the body is there. */
export type RenderWarning =
  /** The charset is unknown; what it would decide stands as U+FFFD. */
  | 'charset_unknown'
  /** Base64 or quoted-printable was broken; what could be decoded is there. */
  | 'transfer_encoding_damaged'
  /** The body was longer than what is read. */
  | 'body_cut'
  /** HTML could not be parsed within its limits: its words without tags, hidden ones too, are there. */
  | 'html_not_rendered'
  /** The HTML shows no words at all. */
  | 'no_visible_text'

export interface RenderedBody {
  /** The whole body, without fence and window. */
  readonly text: CleanText
  readonly source: 'plain' | 'html' | 'none'
  /** Offset in `text` where quoted history begins and goes on to its end, or null. */
  readonly quotedFrom: number | null
  /** Elements of HTML that were left out because nobody would see their words. */
  readonly hiddenTextRemoved: number
  readonly charsetGuessed: boolean
  readonly warnings: readonly RenderWarning[]
  /** Chosen parts that show nothing: all of them, and `chooseBody` should be asked again with these. */
  readonly blankParts: readonly PartId[]
  /** Clean markup of `htmlParts`, joined; null when none was asked for or none could be made. */
  readonly html: CleanText | null
}

interface RenderedPart {
  readonly partId: PartId
  readonly text: CleanText
  readonly markedFrom: number | null
  readonly markup: CleanText | null
  readonly hiddenTextRemoved: number
  readonly warnings: readonly RenderWarning[]
}

/**
 * Chosen parts as clean text: charset, `format=flowed`, HTML to text, sanitiser, parts joined in order with a blank
 * line between. Never throws over a message: what cannot be read is a warning beside what could.
 * @param body.parts the body in reading order; `body.htmlParts` what markup is wanted of, empty for none.
 */
export async function renderBody(
  body: { readonly parts: readonly BodyContent[]; readonly htmlParts: readonly BodyContent[] },
  options: RenderBodyOptions,
): Promise<RenderedBody> {
  const markedUp = new Set(body.htmlParts.map(({ part }) => part.id))
  const chosen = new Set(body.parts.map(({ part }) => part.id))
  const rendered = new Map<PartId, RenderedPart>()
  for (const content of [...body.parts, ...body.htmlParts]) {
    const { id } = content.part
    if (!rendered.has(id)) rendered.set(id, await renderPart(content, markedUp.has(id), options))
  }
  const pick = (ids: ReadonlySet<PartId>): RenderedPart[] =>
    Array.from(ids, (id) => rendered.get(id)).filter((part) => part !== undefined)
  const { text, markedFrom, isCut } = joinParts(pick(chosen))
  const markups = pick(markedUp).map(({ markup }) => markup)
  const warnings = new Set([...rendered.values()].flatMap((part) => part.warnings))
  if (isCut) warnings.add('body_cut')
  return {
    text,
    source: sourceOf(body.parts),
    quotedFrom: findQuotedHistory(text, markedFrom),
    hiddenTextRemoved: pick(chosen).reduce((sum, part) => sum + part.hiddenTextRemoved, 0),
    charsetGuessed: warnings.has('charset_unknown'),
    warnings: [...warnings],
    blankParts: pick(chosen)
      .filter((part) => part.text === '')
      .map(({ partId }) => partId),
    html:
      markups.length === 0 || markups.includes(null)
        ? null
        : joinClean(markups.filter((each) => each !== null)),
  }
}

function sourceOf(parts: readonly BodyContent[]): RenderedBody['source'] {
  if (parts.length === 0) return 'none'
  return parts.some(({ kind }) => kind === 'html') ? 'html' : 'plain'
}

async function renderPart(
  content: BodyContent,
  wantsMarkup: boolean,
  { links, pool, keepsPictures = false }: RenderBodyOptions,
): Promise<RenderedPart> {
  const { text, isGuessed } = decodeText(content.content, charsetOf(content))
  const warnings: RenderWarning[] = isGuessed ? ['charset_unknown'] : []
  if (content.isDamaged) warnings.push('transfer_encoding_damaged')
  if (content.isCut) warnings.push('body_cut')
  const partId = content.part.id
  if (content.kind === 'plain') {
    const plain = await renderPlain(text, content.part, links)
    return { partId, text: plain, markedFrom: null, markup: null, hiddenTextRemoved: 0, warnings }
  }
  const html = await renderHtml(text, { links, wantsMarkup, keepsPictures }, pool)
  const { markup, hiddenTextRemoved, quotedFrom } = html
  warnings.push(...htmlWarnings(html))
  return { partId, ...trimEdges(html.text, quotedFrom), markup, hiddenTextRemoved, warnings }
}

function htmlWarnings({ isCut, isParsed, text }: RenderedHtml): readonly RenderWarning[] {
  return [
    ...(isCut ? (['body_cut'] as const) : []),
    ...(isParsed ? [] : (['html_not_rendered'] as const)),
    ...(text.trim() === '' ? (['no_visible_text'] as const) : []),
  ]
}

async function renderPlain(text: RawText, { params }: Part, links: LinksMode): Promise<CleanText> {
  const lines = stripInvisible(text)
  const isFlowed = params.get('format')?.trim().toLowerCase() === 'flowed'
  const deletesSpace = params.get('delsp')?.trim().toLowerCase() === 'yes'
  const whole = isFlowed ? unflow(lines, deletesSpace) : lines
  // No address goes on behind a line end, and megabytes of them are the dearest that plain text can hold.
  const pieces = await mapInTurns(whole.match(someLines) ?? [], (piece) => renderTextLinks(piece, links))
  return trimEdges(cleanBlock(rawText(pieces.join(''))), null).text
}

/** Some kilobytes, and on to the end of the line. */
const someLines = /[^]{1,16384}[^\n]*\n?/g

/** The declared charset; an HTML part that declares none may do so itself (HTML 13.2.3.2 looks at as many octets). */
function charsetOf({ part, kind, content }: BodyContent): string | null {
  const declared = part.params.get('charset') ?? null
  if (kind === 'plain' || (declared !== null && isKnownCharset(declared))) return declared
  const head = bufferOver(content.subarray(0, 1_024)).toString('latin1')
  const own = /<meta[^>]{0,200}?charset\s{0,4}=\s{0,4}["']?([\w:.-]{1,40})/i.exec(head)?.[1]
  return own !== undefined && isKnownCharset(own) ? own : declared
}

/** Without blank lines before and white space behind. */
function trimEdges(
  text: CleanText,
  markedFrom: number | null,
): { text: CleanText; markedFrom: number | null } {
  const start = text.length - text.trimStart().length
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const from = start === text.length || start === 0 ? start : lineStart
  const trimmed = sliceClean(text, from, Math.max(from, text.trimEnd().length))
  const marked = markedFrom === null ? null : markedFrom - from
  return {
    text: trimmed,
    markedFrom: marked !== null && marked > 0 && marked < trimmed.length ? marked : null,
  }
}

function joinParts(parts: readonly RenderedPart[]): {
  readonly text: CleanText
  readonly markedFrom: number | null
  readonly isCut: boolean
} {
  const pieces: CleanText[] = []
  let length = 0
  let markedFrom: number | null = null
  for (const { text, markedFrom: marked } of parts.filter((part) => part.text !== '')) {
    if (pieces.length > 0) pieces.push(ownText('\n\n'))
    length += pieces.length > 0 ? 2 : 0
    if (marked !== null) markedFrom ??= length + marked
    pieces.push(text)
    length += text.length
  }
  const text = joinClean(pieces)
  const isCut = text.length > maxBodyChars
  return {
    text: isCut ? sliceClean(text, 0, cutGraphemes(text, maxBodyChars).length) : text,
    markedFrom,
    isCut,
  }
}
