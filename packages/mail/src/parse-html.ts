import { defaultTreeAdapter, parse, type DefaultTreeAdapterTypes } from 'parse5'
import { readStyleSheet, type StyleSheet } from './style-sheet.ts'

export type HtmlElement = DefaultTreeAdapterTypes.Element
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode
export type HtmlParent = DefaultTreeAdapterTypes.ParentNode

export interface HtmlDocument {
  readonly root: HtmlParent
  readonly styles: StyleSheet
}

/** Thrown out of the parser where a document makes more elements than its length explains. Never leaves this file. */
class TooManyElements extends Error {}

/**
 * Parses HTML of any kind, or gives null for a bomb. parse5 is linear in nesting and attributes; what is left is
 * one rule of the standard that multiplies elements (reconstruction of unclosed formatting elements), so elements
 * are counted against the length of the input. Callers walk the tree without recursion: its depth has no bound.
 */
export function parseHtml(html: string): HtmlDocument | null {
  let budget = 1_000 + html.length / 2
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement: (tagName, namespaceURI, attrs) => {
      if (--budget < 0) throw new TooManyElements()
      return defaultTreeAdapter.createElement(tagName, namespaceURI, attrs)
    },
  }
  try {
    // Mail is shown without scripts, so the content of noscript is content.
    const root = parse(html, { treeAdapter, scriptingEnabled: false })
    return { root, styles: readStyleSheet(collectStyles(root)) }
  } catch (error) {
    if (error instanceof TooManyElements) return null
    throw error
  }
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'tagName' in node
}

export function isText(node: HtmlNode): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text'
}

/** The value of an attribute, or null. Attribute names are lower-case. */
export function readAttribute(element: HtmlElement, name: string): string | null {
  return element.attrs.find((attribute) => attribute.name === name)?.value ?? null
}

/** True for an image of one pixel, whose words nobody reads, whatever it says. */
export function isBeacon(element: HtmlElement): boolean {
  return ['width', 'height'].some((name) => /^\s*[01](?:px)?\s*$/.test(readAttribute(element, name) ?? ''))
}

/** Walks every node below `root` in document order, without recursion. */
export function* walkHtml(root: HtmlParent): Generator<HtmlNode> {
  const stack: HtmlNode[] = root.childNodes.toReversed()
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node
    if (!isElement(node)) continue
    for (let index = node.childNodes.length - 1; index >= 0; index--) {
      const child = node.childNodes[index]
      if (child !== undefined) stack.push(child)
    }
  }
}

function collectStyles(root: HtmlParent): string {
  const sheets: string[] = []
  for (const node of walkHtml(root)) {
    if (!isElement(node) || node.tagName !== 'style') continue
    sheets.push(node.childNodes.map((child) => (isText(child) ? child.value : '')).join(''))
  }
  return sheets.join('\n')
}
