import { listHeaders, type HeaderField } from './header.ts'
import { rawText, type CleanText } from './text.ts'
import { cleanLine } from './untrusted.ts'

/** What the receiving server found, or `unknown` where it did not say. `none` is a finding: there was nothing to check. */
export type Verdict =
  | 'pass'
  | 'fail'
  | 'softfail'
  | 'neutral'
  | 'none'
  | 'temperror'
  | 'permerror'
  | 'unknown'

export interface Authentication {
  readonly spf: Verdict
  readonly dkim: Verdict
  readonly dmarc: Verdict
  /** The authserv-id whose word this is; null when all is unknown. */
  readonly evaluatedBy: CleanText | null
}

interface Result {
  readonly method: string
  readonly verdict: Verdict
  /** Property names, lower-case: `smtp.mailfrom`. */
  readonly properties: ReadonlySet<string>
}

interface Evaluation {
  readonly authservId: string
  readonly results: readonly Result[]
}

const nothing: Authentication = { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown', evaluatedBy: null }

/**
 * SPF, DKIM and DMARC as the receiving server recorded them. Anyone can write the header; only the topmost one with
 * a trusted authserv-id counts, because the receiving server adds its own above everything that came with the
 * message. Where the headers show that further ones stand above the topmost Received (one filter each for SPF, DKIM
 * and DMARC), those count too, for what the first leaves open.
 * @param headers in the order of the message, as adapters give them.
 * @param trustedAuthservIds names as the receiving server writes them, any case; `*.example.net` for its hosts.
 * Source: RFC 8601 2.2, 5.
 */
export function readAuthentication(
  headers: readonly HeaderField[],
  trustedAuthservIds: readonly string[],
): Authentication {
  const trusted = trustedAuthservIds.map((id) => id.trim().toLowerCase()).filter((id) => id !== '')
  const isTrusted = ({ authservId }: Evaluation): boolean => trusted.some((id) => matches(authservId, id))
  const top = evaluations(headers).find(isTrusted)
  if (top === undefined) return nothing
  const others = evaluations(aboveReceived(headers)).filter(
    (other) => isTrusted(other) && other.authservId === top.authservId,
  )
  const results = [top, ...others].map((evaluation) => evaluation.results)
  return {
    spf: firstKnown(results.map(readSpf)),
    dkim: firstKnown(results.map(readDkim)),
    dmarc: firstKnown(results.map((each) => verdictsOf(each, 'dmarc')[0] ?? 'unknown')),
    evaluatedBy: cleanLine(rawText(top.authservId), 255),
  }
}

function matches(authservId: string, trusted: string): boolean {
  return trusted.startsWith('*.') ? authservId.endsWith(trusted.slice(1)) : authservId === trusted
}

/** Header fields that only the receiving server can have written; none unless a Received field was fetched as well. */
function aboveReceived(headers: readonly HeaderField[]): readonly HeaderField[] {
  const index = headers.findIndex(({ name }) => name.toLowerCase() === 'received')
  return headers.slice(0, Math.max(0, index))
}

function evaluations(headers: readonly HeaderField[]): readonly Evaluation[] {
  return listHeaders(headers, 'Authentication-Results')
    .slice(0, maxFields)
    .map(parseResults)
    .filter((evaluation) => evaluation !== null)
}

function verdictsOf(results: readonly Result[], method: string): readonly Verdict[] {
  return results.filter((result) => result.method === method).map(({ verdict }) => verdict)
}

/** One valid signature is enough, whatever the others are; whose it is, DMARC judges. */
function readDkim(results: readonly Result[]): Verdict {
  const verdicts = verdictsOf(results, 'dkim')
  return verdicts.includes('pass') ? 'pass' : (verdicts[0] ?? 'unknown')
}

/** The envelope sender's before the greeting's. */
function readSpf(results: readonly Result[]): Verdict {
  const found = results.filter(({ method }) => method === 'spf')
  const envelope = found.find(({ properties }) => properties.has('smtp.mailfrom'))
  return (envelope ?? found[0])?.verdict ?? 'unknown'
}

function firstKnown(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find((verdict) => verdict !== 'unknown') ?? 'unknown'
}

const maxFields = 50
const maxFieldChars = 8_192

/** Null for a field without authserv-id: nobody vouches for it. */
function parseResults(value: string): Evaluation | null {
  const [head, ...clauses] = splitClauses(tokenise(value.slice(0, maxFieldChars)))
  const authservId = head?.[0]?.text.toLowerCase()
  if (authservId === undefined || isMark(head?.[1], '=') || !/^[a-z0-9._:[\]-]{1,255}$/.test(authservId))
    return null
  return { authservId, results: clauses.map(parseClause).filter((result) => result !== null) }
}

/** `method[/version] = result *(ptype.property = value)`; the word `none` alone is no result. */
function parseClause(tokens: readonly Token[]): Result | null {
  const [method, equals, result] = tokens
  if (method === undefined || !isMark(equals, '=') || result === undefined) return null
  const properties = tokens.filter((_, index) => index > 2 && isMark(tokens[index + 1], '='))
  return {
    method: method.text.replace(/\/\d+$/, '').toLowerCase(),
    verdict: toVerdict(result.text.toLowerCase()),
    properties: new Set(properties.map(({ text }) => text.toLowerCase())),
  }
}

const verdicts: ReadonlySet<string> = new Set([
  'pass',
  'fail',
  'softfail',
  'neutral',
  'none',
  'temperror',
  'permerror',
] satisfies Verdict[])

function isVerdict(word: string): word is Verdict {
  return verdicts.has(word)
}

/** `hardfail` is what old servers say for `fail` (RFC 8601 2.7.2). */
function toVerdict(word: string): Verdict {
  if (word === 'hardfail') return 'fail'
  return isVerdict(word) ? word : 'unknown'
}

interface Token {
  readonly text: string
  /** `;` or `=` as a separator, not as the content of a quoted string. */
  readonly isMark: boolean
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token !== undefined && token.isMark && token.text === mark
}

/** Words, quoted strings without their quotes, and marks. Comments nest and are dropped (RFC 5322 3.2.2). */
function tokenise(value: string): readonly Token[] {
  const tokens: Token[] = []
  let index = 0
  while (index < value.length) {
    const char = value.charAt(index)
    if (char === '(') index = skipComment(value, index)
    else if (char === '"') {
      const end = quoteEnd(value, index)
      tokens.push({ text: value.slice(index + 1, end).replace(/\\(.)/g, '$1'), isMark: false })
      index = end + 1
    } else if (char === ';' || char === '=') {
      tokens.push({ text: char, isMark: true })
      index++
    } else if (/\s/.test(char)) index++
    else {
      const start = index
      while (index < value.length && !/[\s;="(]/.test(value.charAt(index))) index++
      tokens.push({ text: value.slice(start, index), isMark: false })
    }
  }
  return tokens
}

function skipComment(value: string, open: number): number {
  let depth = 0
  for (let index = open; index < value.length; index++) {
    const char = value[index]
    if (char === '\\') index++
    else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return index + 1
  }
  return value.length
}

function quoteEnd(value: string, open: number): number {
  for (let index = open + 1; index < value.length; index++) {
    if (value[index] === '\\') index++
    else if (value[index] === '"') return index
  }
  return value.length
}

function splitClauses(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const clauses: Token[][] = [[]]
  for (const token of tokens) {
    if (isMark(token, ';')) clauses.push([])
    else clauses.at(-1)?.push(token)
  }
  return clauses
}
