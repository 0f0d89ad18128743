import { wordSet } from './word-set.ts'

/** One declaration: lower-case name, trimmed lower-case value. */
export interface Declaration {
  readonly name: string
  readonly value: string
  readonly isImportant: boolean
}

// What decides whether and how text is seen. Everything else is dropped while parsing.
const relevant: ReadonlySet<string> = wordSet(
  'display visibility content-visibility opacity font font-size white-space color',
  '-webkit-text-fill-color background background-color background-image width height max-width',
  'max-height overflow overflow-x overflow-y position left top right bottom margin margin-left',
  'margin-top text-indent clip clip-path transform',
)

/** The relevant declarations of a `style` attribute or of a rule's block, in order. Linear; never throws. */
export function parseDeclarations(block: string): readonly Declaration[] {
  const found: Declaration[] = []
  if (block === '') return found
  for (const piece of splitDeclarations(stripComments(block))) {
    const colon = piece.indexOf(':')
    if (colon === -1) continue
    const name = unescape(piece.slice(0, colon)).trim().toLowerCase()
    // A value that matters is short; a long one is an embedded image.
    if (!relevant.has(name)) continue
    const text = unescape(piece.slice(colon + 1, colon + 501))
      .trim()
      .toLowerCase()
    const value = text.replace(/!\s?important$/, '')
    found.push({ name, value: value.trim(), isImportant: value.length < text.length })
  }
  return found
}

/** Text without its comments (CSS Syntax 3, 4.3.2); one that never ends takes the rest along. */
export function stripComments(text: string): string {
  if (!text.includes('/*')) return text
  const pieces: string[] = []
  let from = 0
  for (let open = text.indexOf('/*'); open !== -1; open = text.indexOf('/*', from)) {
    pieces.push(text.slice(from, open))
    const close = text.indexOf('*/', open + 2)
    from = close === -1 ? text.length : close + 2
  }
  return pieces.join('') + text.slice(from)
}

/** Splits at semicolons outside quotes and brackets: a data URL has semicolons of its own. */
function splitDeclarations(block: string): readonly string[] {
  const pieces: string[] = []
  let from = 0
  let quote = ''
  let depth = 0
  for (let index = 0; index < block.length; index++) {
    const char = block.charAt(index)
    if (quote !== '') {
      if (char === quote || char === '\n') quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === ';' && depth === 0) {
      pieces.push(block.slice(from, index))
      from = index + 1
    }
  }
  return [...pieces, block.slice(from)]
}

/** CSS Syntax 3, 4.3.7: `\64 isplay` is `display`. */
function unescape(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|(.))/gi,
    (_, hex: string | undefined, char: string | undefined) => {
      if (hex === undefined) return char ?? ''
      const codePoint = Number.parseInt(hex, 16)
      return codePoint === 0 || codePoint > 0x10ffff ? '\ufffd' : String.fromCodePoint(codePoint)
    },
  )
}
