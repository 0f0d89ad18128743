import { htmlToText } from './html-to-text.ts'
import { renderTextLinks, type LinksMode } from './links.ts'
import { parseHtml } from './parse-html.ts'
import { sanitiseHtml } from './sanitise-html.ts'
import { stripInvisible } from './strip-invisible.ts'

/** What is asked of the parser, in plain data, so that it can be asked in another thread. */
export interface HtmlTask {
  readonly html: string
  readonly links: LinksMode
  readonly wantsMarkup: boolean
  /** The markup keeps pictures that are parts of the same message. */
  readonly keepsPictures?: boolean
}

/** What came of it: strings that still have to pass the sanitiser. */
export interface HtmlRendering {
  readonly text: string
  /** Offset in `text` of the line where marked history begins, or null. */
  readonly quotedFrom: number | null
  readonly hiddenTextRemoved: number
  readonly isCut: boolean
  readonly markup: string | null
}

/** Parses and renders; null for a document that is built to exhaust its reader. Runs in a worker or in place. */
export function runHtmlTask(task: HtmlTask): HtmlRendering | null {
  // Before entities are decoded and after: invisible characters may stand as either.
  const document = parseHtml(stripInvisible(task.html, 'markup'))
  if (document === null) return null
  const { lines, quotedLine, hiddenTextRemoved, isCut } = htmlToText(document, task.links)
  const render = (some: readonly string[]): string =>
    renderTextLinks(stripInvisible(some.join('\n')), task.links)
  const head = quotedLine === null || quotedLine === 0 ? '' : `${render(lines.slice(0, quotedLine))}\n`
  const text = head + render(head === '' ? lines : lines.slice(quotedLine ?? 0))
  return {
    text,
    quotedFrom: head === '' ? null : head.length,
    hiddenTextRemoved,
    isCut,
    markup: task.wantsMarkup ? sanitiseHtml(document, task.keepsPictures) : null,
  }
}
