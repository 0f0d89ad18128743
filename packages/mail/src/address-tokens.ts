import { readEncodedWord } from './encoded-words.ts'

/**
 * A piece of an address list. `raw` is as it goes into an address, `text` as it goes into a name: quotes and
 * escapes undone. The raw of an `angle` is the addr-spec between the brackets, without comments and route.
 */
export interface AddressToken {
  readonly kind: 'atom' | 'quoted' | 'blank' | 'comment' | 'angle' | 'comma' | 'semicolon' | 'colon'
  readonly raw: string
  readonly text: string
}

/**
 * Takes an address list apart (RFC 5322 3.2). What is never closed - a quote, a comment, a bracket - is text:
 * it must not swallow the mailboxes behind it. One pass: a search for a closing character that found none is
 * not repeated.
 */
export function* readAddressTokens(value: string): Generator<AddressToken> {
  const scanner = { value, isQuoteOpen: false, isCommentOpen: false }
  let at = 0
  while (at < value.length) {
    const [token, end] = readToken(scanner, at)
    yield token
    at = end
  }
}

interface Scanner {
  readonly value: string
  /** Set once a quote was found to have no end: then no later one has. */
  isQuoteOpen: boolean
  /** Set once a comment had no end; later ones are not tried, or each would be a search of its own. */
  isCommentOpen: boolean
}

type Read = readonly [token: AddressToken, end: number]

function readToken(scanner: Scanner, at: number): Read {
  const { value } = scanner
  switch (value[at] ?? '') {
    case ',':
      return [separators.comma, at + 1]
    case ';':
      return [separators.semicolon, at + 1]
    case ':':
      return [separators.colon, at + 1]
    case '"':
      return readQuoted(scanner, at) ?? readAtom(value, at)
    case '(':
      return readComment(scanner, at) ?? readAtom(value, at)
    case '<':
      return readAngle(scanner, at)
    case '>':
      // One without its partner; it belongs to nothing.
      return [blank(''), at + 1]
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      return readBlank(value, at)
    default:
      return readAtom(value, at)
  }
}

const separators = {
  comma: { kind: 'comma', raw: ',', text: ',' },
  semicolon: { kind: 'semicolon', raw: ';', text: ';' },
  colon: { kind: 'colon', raw: ':', text: ':' },
} as const satisfies Record<string, AddressToken>

function blank(text: string): AddressToken {
  return { kind: 'blank', raw: '', text }
}

function readBlank(value: string, at: number): Read {
  blanks.lastIndex = at
  const run = blanks.exec(value)?.[0] ?? ' '
  return [blank(run), at + run.length]
}

const blanks = /[ \t\r\n]+/y

/**
 * A run without specials; at least one character. An encoded word is an atom whatever it holds, as long as
 * that is no blank, quote or angle bracket: another reader would see an address there, and so must we.
 */
function readAtom(value: string, at: number): Read {
  const word = value.startsWith('=?', at) ? readEncodedWord(value, at) : null
  if (word !== null && !/[\s"<>]/.test(word.text)) {
    const raw = value.slice(at, word.end)
    return [{ kind: 'quoted', raw, text: raw }, word.end]
  }
  // A domain literal holds colons, which would start a group.
  literals.lastIndex = at
  const literal = value[at - 1] === '@' ? literals.exec(value)?.[0] : undefined
  const raw = literal ?? value.slice(at, endOfAtom(value, at))
  return [{ kind: 'atom', raw, text: raw.replace(/\\(.)/g, '$1') }, at + raw.length]
}

/** Before the next special or encoded word, which may follow without a blank, and behind an at sign. */
function endOfAtom(value: string, at: number): number {
  for (let index = at; index < value.length; index += 1) {
    const character = value[index] ?? ''
    if (character === '@') return index + 1
    const isEnd = specials.has(character) || (character === '=' && value[index + 1] === '?')
    if (isEnd && index > at) return index
  }
  return value.length
}

const specials: ReadonlySet<string> = new Set(' \t\r\n"(),:;<>')
const literals = /\[[^\][\s<>",;]*\]/y

function readQuoted(scanner: Scanner, at: number): Read | null {
  const end = scanner.isQuoteOpen ? -1 : closeOfQuote(scanner.value, at)
  if (end === -1) {
    scanner.isQuoteOpen = true
    return null
  }
  const raw = scanner.value.slice(at, end + 1)
  return [{ kind: 'quoted', raw, text: unescape(raw.slice(1, -1)) }, end + 1]
}

/** Where the quoted string that opens at `at` closes, or -1. */
function closeOfQuote(value: string, at: number): number {
  for (let index = at + 1; index < value.length; index += 1) {
    if (value[index] === '\\') index += 1
    else if (value[index] === '"') return index
  }
  return -1
}

/** A comment and those nested in it (RFC 5322 3.2.2). */
function readComment(scanner: Scanner, at: number): Read | null {
  const { value } = scanner
  let depth = 0
  for (let index = at; index < value.length && !scanner.isCommentOpen; index += 1) {
    if (value[index] === '\\') index += 1
    else if (value[index] === '(') depth += 1
    else if (value[index] === ')') depth -= 1
    if (depth === 0) {
      const raw = value.slice(at, index + 1)
      return [{ kind: 'comment', raw: '', text: unescape(raw.slice(1, -1)).trim() }, index + 1]
    }
  }
  scanner.isCommentOpen = true
  return null
}

/** `<addr-spec>`. Without a closing bracket it ends before the next separator or bracket. */
function readAngle(scanner: Scanner, at: number): Read {
  const { value } = scanner
  let index = at + 1
  let firstSeparator = -1
  while (index < value.length && value[index] !== '>' && value[index] !== '<') {
    const quoted = value[index] === '"' ? readQuoted(scanner, index) : null
    if (firstSeparator === -1 && (value[index] === ',' || value[index] === ';')) firstSeparator = index
    index = quoted === null ? index + 1 : quoted[1]
  }
  // A separator inside belongs to a route (`<@a,@b:c@d>`); elsewhere the bracket was forgotten or holds a list.
  const isRoute = /^[ \t]*@/.test(value.slice(at + 1, at + 20))
  const isClosed =
    value[index] === '>' && (firstSeparator === -1 || isRoute || isEmptyGroup(value, firstSeparator))
  const end = isClosed || firstSeparator === -1 ? index : firstSeparator
  const raw = isClosed && isEmptyGroup(value, firstSeparator) ? '' : bareAddress(value.slice(at + 1, end))
  return [{ kind: 'angle', raw, text: raw }, isClosed ? end + 1 : end]
}

/** `<undisclosed-recipients:;@host>`, which gateways make of a group without members: nobody's address. */
function isEmptyGroup(value: string, separator: number): boolean {
  return value[separator] === ';' && value[separator - 1] === ':'
}

/** Without comments, blanks around dots and at signs, and the obsolete route `@a,@b:` (RFC 5322 4.4). */
function bareAddress(text: string): string {
  const trimmed = text.trim()
  const [, routed = trimmed] = /^@[^":]*:(.*)$/s.exec(trimmed) ?? []
  if (routed.includes('"')) return routed.trim()
  // Split, not replaced with blanks on both sides of a pattern: that would read a long run of them again and again.
  const words = routed
    .replace(/\([^()]*\)/g, ' ')
    .trim()
    .split(/[ \t\r\n]+/)
  return words.map((word, index) => (isJoined(words[index - 1] ?? '.', word) ? word : ` ${word}`)).join('')
}

function isJoined(before: string, behind: string): boolean {
  return before.endsWith('@') || before.endsWith('.') || behind.startsWith('@') || behind.startsWith('.')
}

function unescape(text: string): string {
  return text.replace(/\\(.)/gs, '$1')
}
