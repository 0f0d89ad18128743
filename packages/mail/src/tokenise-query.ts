import { querySyntax } from './query-faults.ts'

/**
 * One piece of a query; `at` is the index of its first character. A `field` is followed by its value, which
 * stands directly behind the colon: a word, a phrase or an opening bracket.
 */
export type QueryToken =
  | { readonly kind: 'word' | 'phrase' | 'field'; readonly at: number; readonly text: string }
  | { readonly kind: 'not' | 'or' | 'and'; readonly at: number; readonly text: string }
  | { readonly kind: 'open' | 'close'; readonly at: number; readonly text: '(' | ')' | '{' | '}' }

export interface TokenisedQuery {
  readonly tokens: readonly QueryToken[]
  /** True when a value in apostrophes was read as a phrase, which the grammar writes with double quotes. */
  readonly hasApostropheQuotes: boolean
}

// Sticky, and no two alternatives match the same text: each takes time linear in what it consumes.
const blank = /\s+/y
const word = /[^\s(){}"]+/y
const fieldName = /([\p{L}_][\p{L}\p{N}_-]{0,31}):/uy
const phrase = /"((?:[^"\\]|\\[^])*)"/y
const apostrophes = /'([^'"(){}]*)'(?=[\s(){}]|$)/y

const keywords: ReadonlyMap<string, 'not' | 'or' | 'and'> = new Map([
  ['NOT', 'not'],
  ['OR', 'or'],
  ['AND', 'and'],
])

/**
 * Cuts a query into tokens in one pass. Control characters separate words like blanks.
 * @throws query_syntax for an unclosed or empty phrase, a field without a value, or a lone minus.
 */
export function tokeniseQuery(query: string): TokenisedQuery {
  const scanner = new Scanner(query.replace(/\p{Cc}/gu, ' '))
  const tokens: QueryToken[] = []
  let hasApostropheQuotes = false

  for (scanner.take(blank); scanner.next !== ''; scanner.take(blank)) {
    const { at, next } = scanner
    if (next === '(' || next === '{' || next === ')' || next === '}') {
      scanner.at += 1
      tokens.push({ kind: next === '(' || next === '{' ? 'open' : 'close', at, text: next })
    } else if (next === '"') {
      tokens.push(readPhrase(scanner))
    } else if (next === '-') {
      tokens.push(readMinus(scanner))
    } else {
      const field = scanner.take(fieldName)
      if (field === null) {
        const text = scanner.take(word) ?? ''
        tokens.push({ kind: keywords.get(text) ?? 'word', at, text })
        continue
      }
      tokens.push({ kind: 'field', at, text: field })
      if (/^[({"]/.test(scanner.next)) continue
      const value = readValue(scanner)
      hasApostropheQuotes ||= value.kind === 'phrase'
      tokens.push(value)
    }
  }
  return { tokens, hasApostropheQuotes }
}

class Scanner {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  /** The next character, empty at the end. */
  get next(): string {
    return this.text.charAt(this.at)
  }

  /** Consumes what the sticky pattern matches here and returns its group, or else the whole match. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    if (found === null) return null
    this.at = pattern.lastIndex
    return found[1] ?? found[0]
  }
}

function readPhrase(scanner: Scanner): QueryToken {
  const { at } = scanner
  const content = scanner.take(phrase)
  if (content === null) throw querySyntax(scanner, 'a quote is opened but not closed')
  if (content.trim() === '') throw querySyntax({ text: scanner.text, at }, 'a phrase is empty')
  return { kind: 'phrase', at, text: content.replace(/\\(["\\])/g, '$1') }
}

function readMinus(scanner: Scanner): QueryToken {
  const { at } = scanner
  scanner.at += 1
  if (/^[\s)}]?$/.test(scanner.next)) {
    throw querySyntax({ text: scanner.text, at }, 'a minus must stand directly before what it excludes')
  }
  return { kind: 'not', at, text: '-' }
}

/** What stands directly behind the colon of a field, unless it is a phrase or a bracket. */
function readValue(scanner: Scanner): QueryToken {
  const { at } = scanner
  const quoted = scanner.take(apostrophes)
  if (quoted !== null && quoted.trim() !== '') return { kind: 'phrase', at, text: quoted }
  const value = quoted === null ? scanner.take(word) : null
  if (value === null) {
    throw querySyntax({ text: scanner.text, at }, 'a value is missing directly behind the colon')
  }
  return { kind: 'word', at, text: value }
}
