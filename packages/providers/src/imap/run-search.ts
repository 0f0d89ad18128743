import { Fault } from '@postern/core'
import type { Criterion } from '@postern/mail'
import { compileSearch, type CompiledSearch } from './compile-search.ts'
import { misbehaved, requireOk } from './faults.ts'
import type { OpenMailbox, RunOptions } from './pool.ts'
import { searchNumbers } from './search-numbers.ts'
import { atom, sequence, tokenNumber, tokenText, type Answer, type Argument, type Line } from './wire.ts'

/** UIDs of an answer; sorted ones come newest received first, equal instants by UID. */
export interface FoundUids {
  readonly uids: readonly number[]
  readonly isSorted: boolean
}

/** The mailbox to ask, and what `from:me` means there. */
export interface Searcher {
  readonly mailbox: OpenMailbox
  readonly ownAddresses: readonly string[]
  /** Only these UIDs are asked about: `7:19`. Null or left out: all. */
  readonly range?: string | null
}

/**
 * The UIDs of what satisfies a criterion, in one command; `wantsOrder` has them sorted where the server can.
 * @returns null when the server refused the charset (RFC 3501 6.4.4, BADCHARSET).
 * @throws provider_*, timeout.
 */
export async function runSearch(
  { mailbox, ownAddresses, range = null }: Searcher,
  criterion: Criterion,
  wantsOrder: boolean,
): Promise<FoundUids | null> {
  if (criterion.kind === 'none' || mailbox.exists === 0) return { uids: [], isSorted: true }
  const { connection } = mailbox
  const has = (name: string): boolean => connection.capabilities.has(name)
  const compiled = within(range, compileSearch(criterion, { isUtf8: connection.isUtf8, ownAddresses }))
  // Servers without ESORT have been seen to put equal instants in another order each time.
  const isSorted = wantsOrder && has('SORT') && has('ESORT')
  const answer = isSorted
    ? await connection.run('UID SORT', sortArguments(compiled, connection.isUtf8), searching)
    : await connection.run('UID SEARCH', searchArguments(compiled, has('ESEARCH') ? 'ALL' : null), searching)
  if (isCharsetRefused(answer, compiled)) return null
  const { lines } = requireOk(answer, isSorted ? 'UID SORT' : 'UID SEARCH')
  return { uids: readUids(lines, mailbox.exists), isSorted }
}

/** First, so that a server can leave the rest unread before it looks into any message. */
function within(range: string | null, compiled: CompiledSearch): CompiledSearch {
  if (range === null) return compiled
  return { ...compiled, keys: [atom('UID'), sequence(range), ...compiled.keys] }
}

/** The same for criteria whose charset the server has accepted, or that are ASCII. */
export async function requireSearch(
  searcher: Searcher,
  criterion: Criterion,
  wantsOrder: boolean,
): Promise<FoundUids> {
  const found = await runSearch(searcher, criterion, wantsOrder)
  if (found === null) throw misbehaved('a charset was refused that was accepted before')
  return found
}

/** How many messages satisfy a criterion; null as above. */
export async function runCount(
  { mailbox, ownAddresses }: Searcher,
  criterion: Criterion,
): Promise<number | null> {
  const { connection, exists } = mailbox
  if (criterion.kind === 'none' || exists === 0) return 0
  if (criterion.kind === 'all') return exists
  const compiled = compileSearch(criterion, { isUtf8: connection.isUtf8, ownAddresses })
  const isExtended = connection.capabilities.has('ESEARCH')
  const answer = await connection.run(
    'UID SEARCH',
    searchArguments(compiled, isExtended ? 'COUNT' : null),
    searching,
  )
  if (isCharsetRefused(answer, compiled)) return null
  const { lines } = requireOk(answer, 'UID SEARCH')
  return tokenNumber(extended(lines, 'COUNT')) ?? readUids(lines, exists).length
}

const searching: RunOptions = { collect: ['SEARCH', 'ESEARCH', 'SORT'], isPatient: true }

// RFC 4731 3.1: RETURN before everything else; RFC 3501 6.4.4: CHARSET before the keys.
function searchArguments(
  { keys, needsCharset }: CompiledSearch,
  result: 'ALL' | 'COUNT' | null,
): readonly Argument[] {
  return [
    ...(result === null ? [] : [atom('RETURN'), [atom(result)]]),
    ...(needsCharset ? [atom('CHARSET'), atom('UTF-8')] : []),
    ...keys,
  ]
}

// RFC 5256 3: the charset is not optional. REVERSE turns one criterion only, so equal instants stay in UID order.
function sortArguments({ keys, needsCharset }: CompiledSearch, isUtf8: boolean): readonly Argument[] {
  return [
    atom('RETURN'),
    [atom('ALL')],
    [atom('REVERSE'), atom('ARRIVAL')],
    atom(needsCharset || isUtf8 ? 'UTF-8' : 'US-ASCII'),
    ...keys,
  ]
}

function isCharsetRefused({ status, code, text }: Answer, { needsCharset }: CompiledSearch): boolean {
  return needsCharset && status !== 'OK' && (code === 'BADCHARSET' || /charset/i.test(text))
}

function readUids(lines: readonly Line[], exists: number): readonly number[] {
  const plain = searchNumbers(lines)
  const sorted = lines
    .filter(({ keyword }) => keyword === 'SORT')
    .flatMap(({ tokens }) => tokens.map(tokenNumber).filter((number) => number !== null))
  const limit = Math.min(exists + arrivals, maxMatches)
  const compact = expandRanges(tokenText(extended(lines, 'ALL')) ?? '', limit)
  const uids = [...new Set([...plain, ...sorted, ...compact])]
  if (uids.length > limit) throw tooMany(limit)
  return uids
}

/** More than the mailbox holds, arrivals of this moment aside, is no answer to keep in memory. */
const arrivals = 10_000
/** Matches of one folder that are kept whatever it says to hold: a line of a few octets can name every UID there is. */
const maxMatches = 1_000_000

function tooMany(limit: number): Fault {
  if (limit < maxMatches) return misbehaved('more search results than messages')
  return new Fault('query_too_broad', {
    public: `More than ${maxMatches} messages of one folder match. A narrower search, by sender or date, can be answered. Nothing was changed.`,
    details: { limit: maxMatches },
  })
}

/** The value of a result item in an ESEARCH line: `* ESEARCH (TAG "A1") UID COUNT 5 ALL 1:3,7`. */
function extended(lines: readonly Line[], item: string): Line['tokens'][number] | undefined {
  for (const { keyword, tokens } of lines) {
    if (keyword !== 'ESEARCH') continue
    const at = tokens.findIndex((token) => tokenText(token)?.toUpperCase() === item)
    if (at !== -1) return tokens[at + 1]
  }
  return undefined
}

/** `1:3,7` in the order it is written; RFC 5267 2.1 lets a sorted answer count downwards. */
function expandRanges(set: string, limit: number): readonly number[] {
  const numbers: number[] = []
  for (const range of set.split(',')) {
    const [, first, last = first] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(range) ?? []
    if (first === undefined || last === undefined) continue
    const [from, to] = [Number(first), Number(last)]
    if (numbers.length + Math.abs(to - from) >= limit) throw tooMany(limit)
    const step = from <= to ? 1 : -1
    for (let number = from; number !== to + step; number += step) numbers.push(number)
  }
  return numbers
}
