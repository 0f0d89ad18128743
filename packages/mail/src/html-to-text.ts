import { blockElements, droppedElements } from './html-elements.ts'
import { describeLink, readLinkTarget, type LinksMode, type LinkTarget } from './links.ts'
import { isBeacon, isElement, isText, readAttribute, walkHtml } from './parse-html.ts'
import type { HtmlDocument, HtmlElement, HtmlNode } from './parse-html.ts'
import { readQuoteKind } from './quote-containers.ts'
import { stripInvisible } from './strip-invisible.ts'
import { TextLines } from './text-lines.ts'
import {
  hidesContent,
  hidesText,
  readLook,
  readStyle,
  rootLook,
  type Look,
  type Style,
} from './visibility.ts'
import { wordSet } from './word-set.ts'

/** Longest text made of one HTML part, in UTF-16 units. */
export const maxTextChars = 1_000_000

/** HTML as a reader sees it, in lines. Raw: entities are decoded, so the sanitiser must still run. */
export interface HtmlText {
  readonly lines: readonly string[]
  /** Index of the line where the history that a mail program marked begins and goes on to the end; else null. */
  readonly quotedLine: number | null
  /** Elements that held words nobody sees. */
  readonly hiddenTextRemoved: number
  readonly isCut: boolean
}

const paragraphs = wordSet('p h1 h2 h3 h4 h5 h6 pre dl figure')

interface Place {
  readonly look: Look
  readonly parent: HtmlElement | null
}

type Step = { readonly node: HtmlNode; readonly place: Place } | (() => void)

interface OpenLink {
  readonly target: LinkTarget
  readonly since: number
  text: string
  hasImage: boolean
}

/**
 * Renders a parsed document as text. Linear in the document, without recursion: nesting has no bound. What is out
 * of sight is left out and counted; links say where they lead; nothing is fetched.
 */
export function htmlToText(document: HtmlDocument, links: LinksMode): HtmlText {
  return new TextWalk(document, links).run()
}

class TextWalk {
  readonly #document: HtmlDocument
  readonly #mode: LinksMode
  readonly #out = new TextLines(maxTextChars)
  readonly #hidden = new Set<HtmlElement>()
  readonly #quotes: { start: number; end: number }[] = []
  readonly #lists: { isOrdered: boolean; next: number }[] = []
  readonly #steps: Step[] = []
  #quoteDepth = 0
  #link: OpenLink | null = null
  #images = 0

  constructor(document: HtmlDocument, mode: LinksMode) {
    this.#document = document
    this.#mode = mode
  }

  run(): HtmlText {
    this.#pushAll(this.#document.root.childNodes, { look: rootLook(this.#document.styles), parent: null })
    for (let step = this.#steps.pop(); step !== undefined && !this.#out.isFull; step = this.#steps.pop()) {
      if (typeof step === 'function') step()
      else this.#visit(step.node, step.place)
    }
    this.#out.breakLine()
    const isBlank = this.#out.lines.every((line) => line === '')
    return {
      lines: isBlank && this.#images > 0 ? ['[image]'] : this.#out.lines,
      quotedLine: isBlank ? null : this.#quotedLine(),
      hiddenTextRemoved: this.#hidden.size,
      isCut: this.#out.isFull,
    }
  }

  #pushAll(nodes: readonly HtmlNode[], place: Place): void {
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index]
      if (node !== undefined) this.#steps.push({ node, place })
    }
  }

  #visit(node: HtmlNode, place: Place): void {
    if (isText(node)) this.#visitText(node.value, place)
    else if (isElement(node) && !droppedElements.has(node.tagName)) this.#visitElement(node, place)
  }

  #visitText(value: string, { look, parent }: Place): void {
    if (hidesText(look)) {
      if (parent !== null && hasInk(value)) this.#hidden.add(parent)
      return
    }
    if (this.#link !== null && this.#link.text.length < 500) this.#link.text += value.slice(0, 500)
    if (look.whiteSpace === 'normal') this.#out.addText(value)
    else this.#out.addPreformatted(value, look.whiteSpace === 'pre-line')
  }

  #visitElement(element: HtmlElement, place: Place): void {
    const style = readStyle(element, this.#document.styles)
    if (hidesContent(element, style)) {
      if (holdsInk(element)) this.#hidden.add(element)
      return
    }
    const look = readLook(element, style, place.look)
    // Closed in the reverse order, behind the children: a stack gives both.
    for (const close of [
      this.#enterBlock(element, style, place.parent),
      this.#enterQuote(element),
      this.#enterKind(element, look),
    ]) {
      if (close !== null) this.#steps.push(close)
    }
    this.#pushAll(element.childNodes, { look, parent: element })
  }

  #enterBlock({ tagName }: HtmlElement, style: Style, parent: HtmlElement | null): (() => void) | null {
    const display = style.get('display')
    const isTablePart = tagName.startsWith('t') && blockElements.has(tagName)
    const isBlock =
      display === undefined || isTablePart
        ? blockElements.has(tagName)
        : /^(?:block|flex|grid|list-item|table)$/.test(display)
    if (!isBlock) return null
    const isFlat = parent?.tagName === 'li' || /^0[a-z]{0,3}(?:\s|$)/.test(style.get('margin') ?? '')
    const hasMargin = paragraphs.has(tagName) && !isFlat
    const edge = (): void => (hasMargin ? this.#out.breakParagraph() : this.#out.breakLine())
    edge()
    return edge
  }

  #enterQuote(element: HtmlElement): (() => void) | null {
    const kind = readQuoteKind(element)
    if (kind === null || this.#quoteDepth > 0) return null
    this.#out.breakLine()
    const quote = { start: this.#out.lineCount, end: Number.POSITIVE_INFINITY }
    this.#quotes.push(quote)
    if (kind === 'rest') return null
    this.#quoteDepth++
    return () => {
      this.#quoteDepth--
      this.#out.breakLine()
      quote.end = this.#out.lineCount
    }
  }

  #enterKind(element: HtmlElement, look: Look): (() => void) | null {
    switch (element.tagName) {
      case 'a':
        return this.#enterLink(element)
      case 'blockquote':
        this.#out.openQuote()
        return () => this.#out.closeQuote()
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return this.#enterList(element)
      case 'li':
        this.#out.openItem(this.#nextMarker(element))
        return () => this.#out.closeItem()
      case 'td':
      case 'th':
        this.#out.breakCell()
        return null
      case 'br':
        this.#out.endLine()
        return null
      case 'hr':
        this.#out.addText('----------')
        return null
      case 'img':
        this.#addImage(element, look)
        return null
      default:
        return null
    }
  }

  #enterList(element: HtmlElement): () => void {
    const start = Number.parseInt(readAttribute(element, 'start') ?? '1', 10)
    this.#lists.push({ isOrdered: element.tagName === 'ol', next: Number.isSafeInteger(start) ? start : 1 })
    const isOutermost = this.#lists.length === 1
    if (isOutermost) this.#out.breakParagraph()
    return () => {
      this.#lists.pop()
      if (isOutermost) this.#out.breakParagraph()
    }
  }

  #nextMarker(element: HtmlElement): string {
    const list = this.#lists.at(-1)
    if (list === undefined || !list.isOrdered) return '- '
    const value = Number.parseInt(readAttribute(element, 'value') ?? '', 10)
    if (Number.isSafeInteger(value)) list.next = value
    return `${list.next++}. `
  }

  #enterLink(element: HtmlElement): (() => void) | null {
    const target = readLinkTarget(readAttribute(element, 'href') ?? '')
    if (target === null) return null
    const link: OpenLink = { target, since: this.#out.lineCount, text: '', hasImage: false }
    this.#link = link
    return () => {
      this.#link = null
      if (link.text.trim() !== '')
        this.#out.addSuffix(describeLink(link.text, target, this.#mode), link.since)
      else if (link.hasImage && this.#mode !== 'none') {
        this.#out.addText(`[image]${describeLink('', target, this.#mode)}`)
      }
    }
  }

  /** The words that stand for an image. */
  #addImage(element: HtmlElement, look: Look): void {
    if (isBeacon(element) || !look.isVisible) return
    this.#images++
    const words = (readAttribute(element, 'alt') ?? '').slice(0, 1_000)
    if (this.#link !== null) {
      this.#link.hasImage = true
      this.#link.text += words
    }
    if (words.trim() !== '') this.#out.addText(`[image: ${words.trim()}]`)
  }

  /** Marked history counts only where nothing else follows it: an answer below or between it must not be lost. */
  #quotedLine(): number | null {
    const { lines } = this.#out
    let from = lines.length
    for (const { start, end } of this.#quotes.toReversed()) {
      if (end < from && lines.slice(end, from).some((line) => line !== '')) break
      from = Math.min(from, start)
    }
    while (lines[from] === '') from++
    return from < lines.length ? from : null
  }
}

function hasInk(value: string): boolean {
  return stripInvisible(value).trim() !== ''
}

function holdsInk(element: HtmlElement): boolean {
  for (const node of walkHtml(element)) {
    if (isText(node) && !isDroppedText(node.parentNode) && hasInk(node.value)) return true
  }
  return false
}

function isDroppedText(parent: { nodeName: string } | null): boolean {
  return parent !== null && droppedElements.has(parent.nodeName)
}
