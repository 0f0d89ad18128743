import { alphaOf, isNear, parseColour, parseLength, type Colour } from './css-values.ts'
import { parseDeclarations } from './css.ts'
import { readAttribute, type HtmlElement } from './parse-html.ts'
import type { StyleSheet } from './style-sheet.ts'
import { wordSet } from './word-set.ts'

/** The declarations that won for one element, by name. */
export type Style = ReadonlyMap<string, string>

/** How the text directly inside an element looks: what it inherited and what is its own. Null: nobody can tell. */
export interface Look {
  readonly fontPx: number
  readonly isVisible: boolean
  readonly colour: Colour | null
  readonly background: Colour | null
  readonly whiteSpace: 'normal' | 'pre' | 'pre-line'
}

const black: Colour = { rgb: [0, 0, 0], alpha: 1 }
const white: Colour = { rgb: [255, 255, 255], alpha: 1 }
const linkBlue: Colour = { rgb: [0, 0, 238], alpha: 1 }

const preformatted = wordSet('pre textarea listing plaintext xmp')

const maxClasses = 20
// Further away than this, in pixels, is not somewhere to scroll to.
const farAway = 300

/** Black on white, unless rules that were not understood may have changed it. */
export function rootLook(styles: StyleSheet): Look {
  return {
    fontPx: 16,
    isVisible: true,
    colour: styles.mayColour ? null : black,
    background: styles.mayFill ? null : white,
    whiteSpace: 'normal',
  }
}

const unstyled: Style = new Map()

/** The cascade for one element: style sheets by specificity, then its own attribute; `!important` beats both. */
export function readStyle(element: HtmlElement, styles: StyleSheet): Style {
  const id = (readAttribute(element, 'id') ?? '').toLowerCase()
  const own = parseDeclarations(readAttribute(element, 'style') ?? '')
  const declarations = [...styles.match(element.tagName, id, readClasses(element)), ...own]
  if (declarations.length === 0) return unstyled
  const style = new Map<string, string>()
  const important = new Set<string>()
  for (const { name, value, isImportant } of declarations) {
    if (important.has(name) && !isImportant) continue
    if (isImportant) important.add(name)
    style.set(name, value)
  }
  return style
}

function readClasses(element: HtmlElement): readonly string[] {
  const value = readAttribute(element, 'class')
  if (value === null) return []
  const names = value.slice(0, 1_000).toLowerCase().match(/\S+/g) ?? []
  return names.length === 1 ? names : [...new Set(names)].slice(0, maxClasses)
}

/** True when an element and everything in it is out of sight, whatever its children say. */
export function hidesContent(element: HtmlElement, style: Style): boolean {
  if (readAttribute(element, 'hidden') !== null) return true
  if (readAttribute(element, 'aria-hidden')?.trim().toLowerCase() === 'true') return true
  if (style.size === 0) return false
  return (
    style.get('display') === 'none' ||
    style.get('content-visibility') === 'hidden' ||
    isTransparent(style.get('opacity')) ||
    isZeroSized(element.tagName, style) ||
    isOffScreen(style) ||
    isClippedAway(style)
  )
}

/** True when the text directly inside an element with this look cannot be read. */
export function hidesText(look: Look): boolean {
  if (!look.isVisible || look.fontPx <= 1) return true
  if (look.colour === null) return false
  if (alphaOf(look.colour) < 0.1) return true
  return look.background !== null && isNear(look.colour, look.background)
}

/** The look of an element's own text, from its parent's look. */
export function readLook(element: HtmlElement, style: Style, parent: Look): Look {
  if (style.size === 0 && element.attrs.length === 0 && !preformatted.has(element.tagName)) {
    return element.tagName === 'table' && parent.whiteSpace !== 'normal'
      ? { ...parent, whiteSpace: 'normal' }
      : parent
  }
  const visibility = style.get('visibility') ?? ''
  return {
    fontPx: readFontSize(style, parent.fontPx),
    isVisible: visibility === 'visible' || (parent.isVisible && !['hidden', 'collapse'].includes(visibility)),
    colour: readColour(element, style, parent),
    background: readBackground(element, style, parent),
    whiteSpace: readWhiteSpace(element.tagName, style, parent),
  }
}

function readFontSize(style: Style, parentPx: number): number {
  // Within the shorthand only the size has a unit, a slash behind it or is a bare zero.
  const shorthand = style
    .get('font')
    ?.match(/(?:^|\s)(\d*\.?\d+(?:px|pt|em|rem|%)|0(?=[/\s])|\d+(?=\/))/)?.[1]
  const value = style.get('font-size') ?? shorthand
  return value === undefined ? parentPx : (parseLength(value, parentPx) ?? keywordSize(value, parentPx))
}

/** `small`, `x-large` and kin can all be read; only what is inherited may not be. */
function keywordSize(value: string, parentPx: number): number {
  return ['inherit', 'smaller', 'larger', 'unset'].includes(value) ? parentPx : 16
}

function readColour(element: HtmlElement, style: Style, parent: Look): Colour | null {
  const value = style.get('-webkit-text-fill-color') ?? style.get('color')
  if (value !== undefined) {
    return value === 'inherit' ? parent.colour : parseColour(value)
  }
  const attribute = readAttribute(element, element.tagName === 'body' ? 'text' : 'color')
  if (attribute !== null) return parseColour(attribute.trim().toLowerCase())
  if (element.tagName !== 'a' || readAttribute(element, 'href') === null) return parent.colour
  // Links have a colour of their own and do not inherit one.
  return parent.colour === null ? null : linkBlue
}

function readBackground(element: HtmlElement, style: Style, parent: Look): Colour | null {
  const image = style.get('background-image')
  const shorthand = style.get('background') ?? ''
  const hasImage = image !== undefined && image !== 'none'
  if (hasImage || /url\(|gradient\(/.test(shorthand) || readAttribute(element, 'background') !== null)
    return null
  const attribute = readAttribute(element, 'bgcolor')?.trim().toLowerCase()
  const value = style.get('background-color') ?? (shorthand === '' ? attribute : shorthand)
  if (value === undefined || value === 'none' || value === 'inherit') return parent.background
  const colour = parseColour(value) ?? colourInShorthand(value)
  if (colour === null) return null
  return alphaOf(colour) < 0.5 ? parent.background : colour
}

function colourInShorthand(value: string): Colour | null {
  const found = value.match(/#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\([^)]{0,60}\)|\b(?:white|black)\b/)?.[0]
  return found === undefined ? null : parseColour(found)
}

function readWhiteSpace(tagName: string, style: Style, parent: Look): Look['whiteSpace'] {
  const value = style.get('white-space')
  if (value !== undefined && value !== 'inherit') {
    if (value === 'pre-line') return 'pre-line'
    return ['pre', 'pre-wrap', 'break-spaces'].includes(value) ? 'pre' : 'normal'
  }
  if (preformatted.has(tagName)) return 'pre'
  return tagName === 'table' ? 'normal' : parent.whiteSpace
}

function isTransparent(opacity: string | undefined): boolean {
  const value = opacity === undefined ? null : parseLength(opacity, 1)
  return value !== null && value <= 0.05
}

/**
 * Nothing is left of a box of one pixel or less that clips what overflows, or that is as small in both directions,
 * or whose greatest size says so. Cells are as wide as their column, whatever they ask for.
 */
function isZeroSized(tagName: string, style: Style): boolean {
  const isTiny = (name: string): boolean => {
    // Of a percentage only zero is tiny: 1% is what narrow columns ask for.
    const length = parseLength(style.get(name) ?? '', 200)
    return length !== null && length <= 1
  }
  const isCell = tagName === 'td' || tagName === 'th'
  const clips = ['overflow', 'overflow-x', 'overflow-y'].some((name) =>
    /^(?:hidden|clip)\b/.test(style.get(name) ?? ''),
  )
  if (isTiny('max-height') || (isTiny('max-width') && !isCell)) return true
  if (isTiny('height') && (clips || isTiny('width'))) return true
  return isTiny('width') && clips && !isCell
}

function isOffScreen(style: Style): boolean {
  const length = (name: string): number => parseLength(style.get(name) ?? '', 16) ?? 0
  if (length('text-indent') <= -farAway) return true
  if (length('margin-left') <= -farAway || length('margin-top') <= -farAway) return true
  if ((style.get('margin') ?? '').split(/\s+/).some((part) => (parseLength(part, 16) ?? 0) <= -farAway))
    return true
  if (!['absolute', 'fixed', 'relative'].includes(style.get('position') ?? '')) return false
  const isBefore = ['left', 'top', 'right', 'bottom'].some((name) => length(name) <= -farAway)
  return isBefore || length('left') >= 10 * farAway || length('top') >= 100 * farAway
}

function isClippedAway(style: Style): boolean {
  const clip = style.get('clip') ?? ''
  if (/^rect\((?:\s*[01](?:px)?[\s,]*){4}\)$/.test(clip.slice(0, 60))) return true
  if (/^(?:inset\((?:50|100)%|circle\(0)/.test(style.get('clip-path') ?? '')) return true
  return /scale[xy]?\(\s*0(?:\.0{1,9})?\s*[,)]/.test(style.get('transform') ?? '')
}
