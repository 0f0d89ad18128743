import { runHtmlTask, type HtmlTask } from './html-task.ts'
import type { LinksMode } from './links.ts'
import type { HtmlParser } from './parse-pool.ts'
import { stripTags } from './strip-tags.ts'
import { rawText, type CleanText, type RawText } from './text.ts'
import { cleanBlock, cleanMarkup, joinClean } from './untrusted.ts'

/**
 * HTML longer than this, in UTF-16 units, is parsed in the pool: one mail must not stall everyone else. At this
 * length the most costly document that could be found takes a fraction of a second.
 */
export const maxInlineHtmlChars = 65_536
/** Longest HTML that is parsed at all; the rest is cut off. */
export const maxHtmlChars = 8_388_608
/** Longest HTML whose tags are taken out here, where nobody could parse it; the rest is cut off. */
const maxCrudeChars = 131_072

export interface RenderHtmlOptions {
  readonly links: LinksMode
  readonly wantsMarkup: boolean
  /** The markup keeps pictures that are parts of the same message, for one that is forwarded with them. */
  readonly keepsPictures?: boolean
}

export interface RenderedHtml {
  readonly text: CleanText
  /** Offset in `text` where the history begins that the sender's mail program marked as quoted; else null. */
  readonly quotedFrom: number | null
  /** Elements left out because nobody would see their words. */
  readonly hiddenTextRemoved: number
  /** Allow-listed markup, when asked for and when the document could be parsed. */
  readonly markup: CleanText | null
  /** The document was longer than what is parsed or rendered. */
  readonly isCut: boolean
  /** False: it could not be parsed within the limits, and `text` is what stood between its tags, hidden or not. */
  readonly isParsed: boolean
}

/**
 * HTML as clean text and, on request, as clean markup. Never throws over a document.
 * @param pool where long documents are parsed; null parses everything in place, for callers that serve only one.
 */
export async function renderHtml(
  html: RawText,
  options: RenderHtmlOptions,
  pool: HtmlParser | null,
): Promise<RenderedHtml> {
  const task: HtmlTask = { html: html.slice(0, maxHtmlChars), ...options }
  const isLong = task.html.length > maxInlineHtmlChars
  const rendering = pool !== null && isLong ? await pool.render(task) : runHtmlTask(task)
  if (rendering === null) return renderCrudely(task.html)
  const { text, quotedFrom, hiddenTextRemoved, markup } = rendering
  const head = cleanBlock(rawText(text.slice(0, quotedFrom ?? 0)))
  return {
    text: joinClean([head, cleanBlock(rawText(text.slice(quotedFrom ?? 0)))]),
    quotedFrom: quotedFrom === null ? null : head.length,
    hiddenTextRemoved,
    markup: markup === null ? null : cleanMarkup(rawText(markup)),
    isCut: rendering.isCut || html.length > maxHtmlChars,
    isParsed: true,
  }
}

function renderCrudely(html: string): RenderedHtml {
  return {
    text: cleanBlock(rawText(stripTags(html.slice(0, maxCrudeChars)))),
    quotedFrom: null,
    hiddenTextRemoved: 0,
    markup: null,
    isCut: html.length > maxCrudeChars,
    isParsed: false,
  }
}
