import { blockElements, droppedElements } from './html-elements.ts'
import { readLinkTarget } from './links.ts'
import { isBeacon, isElement, isText, readAttribute } from './parse-html.ts'
import type { HtmlDocument, HtmlElement, HtmlNode } from './parse-html.ts'
import { rawText } from './text.ts'
import { cleanBlock } from './untrusted.ts'
import { hidesContent, hidesText, readLook, readStyle, rootLook, type Look } from './visibility.ts'
import { wordSet } from './word-set.ts'

/** Longest markup made of one HTML part, in UTF-16 units. */
export const maxMarkupChars = 1_000_000

// Deeper nesting says nothing to a reader; the content of what lies deeper stays.
const maxDepth = 100

const kept = wordSet(
  'a abbr b big blockquote caption cite code col colgroup dd del dfn div dl dt em figcaption figure',
  'h1 h2 h3 h4 h5 h6 i ins kbd li ol p pre q s samp small strike strong sub sup table tbody td tfoot th thead tr',
  'tt u ul var',
)
const voids = wordSet('br hr wbr')

type Step = { readonly node: HtmlNode; readonly look: Look } | (() => void)

/**
 * Markup of the same document with only what carries meaning: an allow-list of elements, of attributes only `href`
 * (http, https, mailto), `alt`, spans of cells, numbers of items and `dir`. Nothing that loads, runs or styles;
 * images keep their words, never their source. What is out of sight is gone. Balanced, linear, without recursion.
 * @param keepsPictures for a message that is forwarded with the pictures of its parts: a source of the form `cid:` stays.
 */
export function sanitiseHtml(document: HtmlDocument, keepsPictures = false): string {
  return new MarkupWalk(document, keepsPictures).run()
}

class MarkupWalk {
  readonly #document: HtmlDocument
  readonly #keepsPictures: boolean
  readonly #out: string[] = []
  readonly #steps: Step[] = []
  #chars = 0
  #depth = 0
  #text = ''

  constructor(document: HtmlDocument, keepsPictures: boolean) {
    this.#document = document
    this.#keepsPictures = keepsPictures
  }

  run(): string {
    this.#pushAll(this.#document.root.childNodes, rootLook(this.#document.styles))
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      // Once it is full only the closing tags still come, so the cut leaves nothing open.
      if (typeof step === 'function') step()
      else if (this.#chars < maxMarkupChars) this.#visit(step.node, step.look)
    }
    this.#flushText()
    return this.#out.join('')
  }

  #pushAll(nodes: readonly HtmlNode[], look: Look): void {
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index]
      if (node !== undefined) this.#steps.push({ node, look })
    }
  }

  #visit(node: HtmlNode, look: Look): void {
    if (isText(node)) {
      if (!hidesText(look)) this.#addText(node.value, look)
      return
    }
    if (!isElement(node) || droppedElements.has(node.tagName)) return
    const style = readStyle(node, this.#document.styles)
    if (hidesContent(node, style)) return
    const close = this.#open(node)
    if (close !== null) this.#steps.push(close)
    this.#pushAll(node.childNodes, readLook(node, style, look))
  }

  #addText(value: string, look: Look): void {
    const text = look.whiteSpace === 'normal' ? value.replace(/[ \t\n\r\f]+/g, ' ') : value
    const room = maxMarkupChars - this.#chars
    this.#text += text.slice(0, room)
    this.#chars += text.length
  }

  /** Text is cleaned in whole runs: an element that was unwrapped must not part what then reads as one. */
  #flushText(): void {
    if (this.#text !== '') this.#out.push(escapeText(cleanBlock(rawText(this.#text))))
    this.#text = ''
  }

  #addTag(tag: string): void {
    this.#flushText()
    this.#out.push(tag)
    this.#chars += tag.length
  }

  #open(element: HtmlElement): (() => void) | null {
    const { tagName } = element
    if (voids.has(tagName)) this.#addTag(`<${tagName}>`)
    else if (tagName === 'img') this.#addImage(element)
    const name = kept.has(tagName) ? tagName : blockElements.has(tagName) && tagName !== 'hr' ? 'div' : null
    const attributes = name === null ? null : readAttributes(element)
    if (name === null || attributes === null || this.#depth >= maxDepth) return null
    this.#addTag(`<${name}${attributes}>`)
    this.#depth++
    return () => {
      this.#depth--
      this.#addTag(`</${name}>`)
    }
  }

  #addImage(element: HtmlElement): void {
    const words = (readAttribute(element, 'alt') ?? '').trim().slice(0, 1_000)
    const source = this.#keepsPictures ? readPartSource(element) : null
    if ((words === '' && source === null) || isBeacon(element)) return
    const src = source === null ? '' : ` src="${escapeAttribute(source)}"`
    this.#addTag(`<img alt="${escapeAttribute(cleanBlock(rawText(words)))}"${src}>`)
  }
}

/** The attributes to write, with a leading space; null for an `a` that leads nowhere, which is then no element at all. */
function readAttributes(element: HtmlElement): string | null {
  const numbers = ['colspan', 'rowspan', 'start', 'value'].filter((name) =>
    numbered.has(`${element.tagName} ${name}`),
  )
  const pairs = numbers.flatMap((name) => {
    const value = readAttribute(element, name)?.trim() ?? ''
    return /^\d{1,4}$/.test(value) ? [` ${name}="${value}"`] : []
  })
  const direction = readAttribute(element, 'dir')?.trim().toLowerCase() ?? ''
  if (['ltr', 'rtl', 'auto'].includes(direction)) pairs.push(` dir="${direction}"`)
  if (element.tagName === 'a') {
    const href = readHref(element)
    if (href === null) return null
    pairs.push(` href="${escapeAttribute(href)}"`)
  }
  return pairs.join('')
}

/** RFC 2392: the Content-ID of a part of the same message; nothing is fetched for it. */
function readPartSource(element: HtmlElement): string | null {
  const source = readAttribute(element, 'src')?.trim() ?? ''
  return /^cid:[\w.!#$%&'*+/=?^`{|}~@-]{1,250}$/i.test(source) ? source : null
}

const numbered = new Set(['td colspan', 'td rowspan', 'th colspan', 'th rowspan', 'ol start', 'li value'])

function readHref(element: HtmlElement): string | null {
  const target = readLinkTarget(readAttribute(element, 'href') ?? '')
  if (target === null) return null
  if (target.kind === 'mail') return `mailto:${target.address}`
  return target.url.startsWith('http') ? target.url : null
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;')
}
