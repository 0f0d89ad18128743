import {
  attributionVerbs,
  forwardMarkers,
  headerLabels,
  originalMarkers,
  type HeaderLabel,
} from './quoted-words.ts'

// An attribution is wrapped by its mail program; four lines hold the longest.
const maxAttributionLines = 4
const maxHeaderLines = 12
const maxLineChars = 400
// A text of more lines is a log, not an answer.
const maxLines = 50_000

const rule = /^[-_=*\s]{5,}$/
const signature = /^(?:-- ?$|[-_=]{5,}$|sent from )/i
const addressEnd = /<[^<>\s]{1,200}@[^<>\s]{1,200}>\s*[:\uff1a]$/

interface Line {
  readonly text: string
  readonly start: number
  readonly label: HeaderLabel | null
}

/**
 * Offset where quoted history begins and goes on to the end of the text, or null. It finds `On ... wrote:`,
 * `-----Original Message-----`, the header block that Outlook sets above an answered mail, and `>` lines at the end,
 * in many languages. An answer below or between quotes is no history, nor is a forwarded mail; a text that would be
 * nothing but history has none. Linear in the text.
 * @param marked offset of a line where markup said that history begins, or null.
 */
export function findQuotedHistory(text: string, marked: number | null = null): number | null {
  const lines = splitLines(text)
  if (lines.length > maxLines) return marked
  const forward = lines.findIndex(({ text: line }) => isMarker(line, forwardMarkers, /^[-_=\s]{2,}|:$/))
  const end = forward === -1 ? lines.length : forward
  let first = forward === -1 ? trailingQuote(lines) : null
  for (let index = 0; index < (first ?? end); index++) {
    if (!opensHistory(lines, index)) continue
    first = withRule(lines, index)
    break
  }
  const found = first === null ? null : (lines[first]?.start ?? null)
  const forwardedFrom = lines[forward]?.start ?? text.length
  // Mail programs mark a forwarded mail as they mark an answered one.
  const isHistory = marked !== null && text.slice(marked, forwardedFrom).trim() !== ''
  const start = isHistory ? Math.min(marked, found ?? marked) : found
  return start === null || text.slice(0, start).trim() === '' ? null : start
}

function splitLines(whole: string): readonly Line[] {
  const lines: Line[] = []
  let start = 0
  for (const line of whole.split('\n', maxLines + 1)) {
    const text = line.slice(0, maxLineChars).trim()
    lines.push({ text, start, label: headerLabel(text) })
    start += line.length + 1
  }
  return lines
}

const noLine: Line = { text: '', start: 0, label: null }

function lineAt(lines: readonly Line[], index: number): string {
  return lines[index]?.text ?? ''
}

function opensHistory(lines: readonly Line[], index: number): boolean {
  const line = lineAt(lines, index)
  if (line === '' || line.startsWith('>')) return false
  return (
    isMarker(line, originalMarkers, /^[-_=\s]{2,}/) ||
    isHeaderBlock(lines, index) ||
    isAttribution(lines, index)
  )
}

/** A known marker, in the dashes or before the colon that `frame` demands. */
function isMarker(line: string, markers: ReadonlySet<string>, frame: RegExp): boolean {
  if (line.length > 100 || !frame.test(line)) return false
  const words = line.replace(/^[-_=*\s]+/, '').replace(/[-_=*:\s]{1,100}$/, '')
  return markers.has(words.toLowerCase().replace(/\s+/g, ' '))
}

/**
 * Three kinds of labelled lines in one block, the sender among them, and a subject or an address: an itinerary also
 * has a from, a to and a date.
 */
function isHeaderBlock(lines: readonly Line[], index: number): boolean {
  const kinds = new Set<HeaderLabel>()
  let hasAddress = false
  for (let at = index; at < index + maxHeaderLines; at++) {
    const { text: line, label: kind } = lines[at] ?? noLine
    if (kind === null && at === index) return false
    if (line === '') break
    if (kind !== null) kinds.add(kind)
    hasAddress ||= line.includes('@')
  }
  return kinds.size >= 3 && kinds.has('from') && (kinds.has('subject') || hasAddress)
}

/** `*From:* Ann`, `Envoy\u00e9 : lundi`: the first word decides. */
function headerLabel(line: string): HeaderLabel | null {
  const label = /^[*_\s]{0,4}([^\s:\uff1a*]{1,20})[^:\uff1a]{0,12}[:\uff1a]/.exec(line.slice(0, 60))?.[1]
  return label === undefined ? null : (headerLabels.get(label.toLowerCase()) ?? null)
}

/** `On ... wrote:` over unmarked history. Where `>` lines follow it, they decide: an answer may stand below them. */
function isAttribution(lines: readonly Line[], index: number): boolean {
  if (!/\d/.test(lineAt(lines, index))) return false
  let joined = ''
  for (let at = index; at < index + maxAttributionLines && lineAt(lines, at) !== ''; at++) {
    joined = `${joined} ${lineAt(lines, at)}`
    if (!/[:\uff1a]$/.test(joined)) continue
    const isNamed = addressEnd.test(joined.slice(-maxLineChars)) || hasVerb(joined)
    return (
      isNamed && hasDate(joined) && !nextLine(lines, at + 1).startsWith('>') && isShortest(lines, index, at)
    )
  }
  return false
}

/** False when a later line of the join would do by itself: then the attribution begins there. */
function isShortest(lines: readonly Line[], index: number, last: number): boolean {
  for (let at = index + 1; at <= last; at++) {
    const rest = joinLines(lines, at, last)
    if (hasDate(rest) && hasVerb(rest)) return false
  }
  return true
}

function joinLines(lines: readonly Line[], from: number, to: number): string {
  return lines
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ')
}

function hasVerb(text: string): boolean {
  const lower = text.toLowerCase()
  return attributionVerbs.some((verb) => lower.includes(verb))
}

function hasDate(text: string): boolean {
  return (text.match(/\d+/g) ?? []).length >= 2
}

function nextLine(lines: readonly Line[], from: number): string {
  for (let at = from; at < from + 4; at++) {
    if (lineAt(lines, at) !== '') return lineAt(lines, at)
  }
  return ''
}

/** Index of the line where the `>` block begins that ends the text, its attribution included; null without one. */
function trailingQuote(lines: readonly Line[]): number | null {
  const last = lines.findLastIndex(({ text }) => text.startsWith('>'))
  if (last === -1) return null
  const after = lines.slice(last + 1).filter(({ text }) => text !== '')
  if (after.length > 15 || (after[0] !== undefined && !signature.test(after[0].text))) return null
  let first = last
  for (let at = last; at >= 0 && (lineAt(lines, at) === '' || lineAt(lines, at).startsWith('>')); at--) {
    if (lineAt(lines, at) !== '') first = at
  }
  return attributionAbove(lines, first) ?? first
}

/** Index where the attribution right above a `>` block begins; in whatever language, it ends with a colon. */
function attributionAbove(lines: readonly Line[], quote: number): number | null {
  let last = quote - 1
  while (last >= 0 && quote - last < 4 && lineAt(lines, last) === '') last--
  if (!/[:\uff1a]$/.test(lineAt(lines, last))) return null
  for (let at = last; at > last - maxAttributionLines && lineAt(lines, at) !== ''; at--) {
    if (hasDate(joinLines(lines, at, last))) return at
  }
  const line = lineAt(lines, last)
  return line.includes('@') || hasVerb(line) ? last : null
}

/** The rule above a header block belongs to the history. */
function withRule(lines: readonly Line[], index: number): number {
  let above = index - 1
  while (above >= 0 && index - above < 4 && lineAt(lines, above) === '') above--
  return above >= 0 && rule.test(lineAt(lines, above)) ? above : index
}
