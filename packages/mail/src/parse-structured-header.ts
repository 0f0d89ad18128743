import { decodeText } from './charset.ts'
import { decodeHeader } from './decode-header.ts'
import { unfold } from './unfold.ts'

/** A header of the form `value; name=value; ...`. `value` is lower-case and without comments, `''` when missing. */
export interface StructuredHeader {
  readonly value: string
  /** Names lower-case; values decoded. A Map, so that no name (`__proto__`) is special. */
  readonly params: ReadonlyMap<string, string>
}

/**
 * Reads Content-Type, Content-Disposition and their like (octets as characters, as in `HeaderField`). Never
 * throws; what senders get wrong is read as it was meant where only one meaning is possible: missing
 * semicolons, unquoted file names with blanks, an unclosed quote, a value that is missing altogether.
 * Source: RFC 2045 5.1; RFC 2231 for the parameters.
 */
export function parseStructuredHeader(
  value: string,
  fallbackCharset: string | null = null,
): StructuredHeader {
  const text = unfold(value)
  const start = skipBlanks(text, 0, ';')
  const head = headPattern.exec(text.slice(start, start + 200))?.[0] ?? ''
  // `Content-Disposition: filename=x` has parameters and no value.
  const isMissing = text[skipBlanks(text, start + head.length, '')] === '='
  const pairs = listParameters(text, isMissing ? start : start + head.length)
  return {
    value: isMissing ? '' : head.replace(/\s/g, '').toLowerCase(),
    params: decodeParameters(pairs, fallbackCharset),
  }
}

// A token, or two around a slash (RFC 2045 5.1); blanks around the slash occur.
const headPattern = /^[^\s;=()<>@,:\\"/[\]?]+(?:[ \t]*\/[ \t]*[^\s;=()<>@,:\\"/[\]?]+)?/

type Pair = readonly [name: string, value: string]

/** Parameters as written: quotes undone, nothing decoded. One pass. */
function* listParameters(text: string, from: number): Generator<Pair> {
  let at = from
  while (at < text.length) {
    at = skipBlanks(text, at, ';')
    namePattern.lastIndex = at
    const name = namePattern.exec(text)
    if (name === null) {
      // Nothing that could be a name: go on behind the next separator.
      const next = text.indexOf(';', at)
      if (next === -1) return
      at = next + 1
      continue
    }
    at = skipBlanks(text, at + name[0].length, '')
    const [value, end] =
      text[at] === '"' ? readQuoted(text, at) : readBare(text, at, isFileName(name[1] ?? ''))
    yield [name[1] ?? '', value]
    at = end
  }
}

const namePattern = /([^\s;=()<>,:\\"]{1,100})[ \t]*=/y

/** Past white space, comments and every `separator` between them. */
function skipBlanks(text: string, from: number, separator: ';' | ''): number {
  let at = from
  let depth = 0
  for (; at < text.length; at += 1) {
    const character = text[at]
    if (character === '(') depth += 1
    else if (character === ')' && depth > 0) depth -= 1
    else if (character === '\\' && depth > 0) at += 1
    else if (depth === 0 && character !== separator && !isBlank.test(character ?? '')) break
  }
  return at
}

const isBlank = /\s/

/** A quoted string from its opening quote. Only quotes and backslashes are unescaped: `C:\new` is a path, not an escape. */
function readQuoted(text: string, start: number): readonly [value: string, end: number] {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  const value = text.slice(start + 1, Math.min(at, text.length)).replace(/\\(["\\])/g, '$1')
  return [value, at + 1]
}

/** An unquoted value: to the separator for a file name, which may hold blanks and brackets, else one token. */
function readBare(text: string, start: number, isName: boolean): readonly [value: string, end: number] {
  const pattern = isName ? bareName : bareToken
  pattern.lastIndex = start
  const value = pattern.exec(text)?.[0] ?? ''
  return [value.trimEnd(), start + value.length]
}

const bareName = /[^;]*/y
const bareToken = /[^\s;(]*/y

function isFileName(name: string): boolean {
  return /^(?:file)?name(?:\*|$)/i.test(name)
}

interface Segment {
  readonly value: string
  readonly isEncoded: boolean
}

/**
 * Decodes parameters that were already taken apart (as IMAP's BODYSTRUCTURE does): RFC 2231 continuations and
 * charsets, encoded words (RFC 2047 5 forbids them here, many senders use them for file names), raw 8-bit octets.
 * Of duplicates the first counts; an extended parameter beats a plain one of its name. `boundary` stays as
 * written, since it is compared with octets.
 */
export function decodeParameters(
  pairs: Iterable<Pair>,
  fallbackCharset: string | null,
): ReadonlyMap<string, string> {
  const params = new Map<string, string>()
  const extended = new Map<string, Map<number, Segment>>()
  for (const [written, value] of pairs) {
    const lower = written.toLowerCase()
    // RFC 2231 3 and 4: name*, name*0, name*0*.
    const [, name = lower, index, star] = /^([^*]+)(?:\*(\d{1,4}))?(\*?)$/.exec(lower) ?? []
    if (index === undefined && !star) {
      if (!params.has(name)) params.set(name, decodePlain(name, value, fallbackCharset))
    } else {
      const segments = extended.get(name) ?? new Map<number, Segment>()
      const position = Number(index ?? 0)
      if (!segments.has(position)) segments.set(position, { value, isEncoded: star === '*' })
      extended.set(name, segments)
    }
  }
  for (const [name, segments] of extended) {
    if (segments.has(0)) params.set(name, joinSegments(name, segments, fallbackCharset))
  }
  return params
}

function decodePlain(name: string, value: string, fallbackCharset: string | null): string {
  return name === 'boundary' ? value : decodeHeader(value, fallbackCharset)
}

/** Segments 0, 1, 2, ... until one is missing. The charset stands in the first: `utf-8'en'text`. */
function joinSegments(
  name: string,
  segments: ReadonlyMap<number, Segment>,
  fallbackCharset: string | null,
): string {
  const pieces: string[] = []
  let charset: string | null = null
  let isEncoded = false
  for (let index = 0; ; index += 1) {
    const segment = segments.get(index)
    if (segment === undefined) break
    isEncoded ||= segment.isEncoded
    const tag = index === 0 && segment.isEncoded ? /^([^']*)'[^']*'/.exec(segment.value) : null
    if (tag !== null) charset = tag[1] ?? null
    const value = segment.value.slice(tag?.[0].length ?? 0)
    pieces.push(segment.isEncoded ? percentDecode(value) : value)
  }
  const octets = pieces.join('')
  if (!isEncoded) return decodePlain(name, octets, fallbackCharset)
  if (charset === null || charset === '') return decodeHeader(octets, fallbackCharset)
  return decodeText(Buffer.from(octets, 'latin1'), charset).text
}

/** `%41` as its octet, as a character; a percent sign that starts no escape stays. */
function percentDecode(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
