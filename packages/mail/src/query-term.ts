import { editDistance } from '@postern/core'
import { addMonths, isCalendarDate, startOfDay, type TimeContext } from './parse-time.ts'
import { queryUnsupported, type QueryPlace } from './query-faults.ts'
import type { Criterion, HeaderName, TextField } from './search-query.ts'

/**
 * A criterion in which folders are still named as the caller named them: one query can be put to several
 * inboxes, each with folders of its own. `resolvePlaces` turns it into a `Criterion`.
 */
export type QueryNode =
  | Exclude<Criterion, { kind: 'and' | 'or' | 'not' }>
  | { readonly kind: 'and'; readonly of: readonly QueryNode[] }
  | { readonly kind: 'or'; readonly of: readonly QueryNode[] }
  | { readonly kind: 'not'; readonly of: QueryNode }
  | { readonly kind: 'place'; readonly operator: 'in' | 'label'; readonly name: string }

/** Filled while terms are read: what the caller must be told, and whether Spam and Trash belong to the scope. */
export interface QueryFindings {
  readonly notes: Set<string>
  isAnywhere: boolean
}

export interface TermContext extends TimeContext {
  readonly findings: QueryFindings
}

export interface TermValue {
  readonly text: string
  readonly isPhrase: boolean
}

/** How one operator reads its value; null means a value it does not take. */
interface Operator {
  readonly read: (value: TermValue, context: TermContext) => QueryNode | null
  readonly takes: string
  /** The supported value to suggest instead. */
  readonly nearest: (value: string) => string
}

/**
 * Reads `operator:value`; a null operator is a bare word or phrase.
 * @throws query_unsupported with the nearest form that works.
 */
export function readTerm(
  operator: string | null,
  value: TermValue,
  place: QueryPlace,
  context: TermContext,
): QueryNode {
  if (operator === null) return { kind: 'text', field: 'text', value: value.text }
  const name = operator.toLowerCase()
  const written = `${operator}:${value.isPhrase ? quoted(value.text) : value.text}`
  const known = operators.get(name)
  if (known === undefined) {
    const meant = nearestOperator(name)
    throw queryUnsupported(place, {
      operator,
      written,
      nearest: meant === null ? quoted(written) : `${meant}:${value.text}`,
      why: 'there is no such operator; text that contains a colon must stand in double quotes.',
    })
  }
  const criterion = known.read(value, context)
  if (criterion !== null) return criterion
  throw queryUnsupported(place, {
    operator,
    written,
    nearest: `${name}:${known.nearest(value.text)}`,
    why: `${name}: takes ${known.takes}.`,
  })
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

// Words of other mail programs, and of this service's structured arguments, for operators that exist here.
const otherNames: ReadonlyMap<string, string> = new Map([
  ['sender', 'from'],
  ['recipient', 'to'],
  ['title', 'subject'],
  ['text', 'body'],
  ['content', 'body'],
  ['since', 'after'],
  ['until', 'before'],
  ['folder', 'in'],
  ['mailbox', 'in'],
  ['attachment', 'filename'],
  ['messageid', 'rfc822msgid'],
  ['message-id', 'rfc822msgid'],
  ['msgid', 'rfc822msgid'],
])

function nearestOperator(name: string): string | null {
  const other = otherNames.get(name)
  if (other !== undefined) return other
  // A two-letter operator is one edit away from most short words: only longer ones count as misspelt.
  const near = [...operators.keys()].filter((known) => known.length > 3 && editDistance(known, name) <= 1)
  return near[0] ?? null
}

function textOperator(field: TextField): Operator {
  return {
    read: ({ text, isPhrase }) =>
      (field === 'from' || field === 'to' || field === 'cc' || field === 'bcc') &&
      !isPhrase &&
      /^me$/i.test(text)
        ? { kind: 'owner', field }
        : { kind: 'text', field, value: text },
    takes: 'any text',
    nearest: quoted,
  }
}

function headerOperator(name: HeaderName): Operator {
  return {
    // Brackets are the syntax of a message id, and optional in what a list id search is given.
    read: ({ text }) => {
      const value = text.replace(/^<|>$/g, '')
      return value === '' ? null : { kind: 'header', name, value }
    },
    takes: 'an id or address',
    nearest: quoted,
  }
}

function wordOperator(words: ReadonlyMap<string, QueryNode>): Operator {
  return {
    read: ({ text }) => words.get(text.toLowerCase()) ?? null,
    takes: [...words.keys()].join(', '),
    nearest: (text) => closest(text.toLowerCase(), [...words.keys()]),
  }
}

function closest(text: string, words: readonly string[]): string {
  const cut = text.slice(0, 32)
  return words.reduce((best, word) => (editDistance(cut, word) < editDistance(cut, best) ? word : best))
}

// RFC 9051 9: a size in SEARCH is number64; older servers take 32 bits, so that is the bound for all.
const maxBytes = 0xffff_ffff

function sizeOperator(kind: 'larger' | 'smaller'): Operator {
  return {
    read: ({ text }) => {
      const [, count, unit = ''] = /^(\d{1,10})([km]?)$/i.exec(text) ?? []
      const bytes = Number(count) * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1024 : 1_048_576)
      return bytes >= 1 && bytes <= maxBytes ? { kind, bytes } : null
    },
    takes: 'a whole number of bytes from 1, or of K (1024) or M (1024 K)',
    nearest: (text) => `${/^[1-9]\d{0,2}/.exec(text)?.[0] ?? '5'}M`,
  }
}

function dateOperator(kind: 'since' | 'before'): Operator {
  return {
    read: ({ text }, { timezone }) => {
      // Seconds since 1970; fewer digits would be a year, or a slip.
      if (/^\d{9,11}$/.test(text)) return { kind, at: new Date(Number(text) * 1000) }
      const [, year, month, day] = /^(\d{4})[/-](\d{1,2})[/-](\d{1,2})$/.exec(text) ?? []
      if (year === undefined || month === undefined || day === undefined) return null
      const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
      return isCalendarDate(date) ? { kind, at: startOfDay(date, timezone) } : null
    },
    takes: 'a date as YYYY/MM/DD or YYYY-MM-DD (year first), or seconds since 1970',
    nearest: () => '2026/11/03',
  }
}

const ageUnits = new Map<string, { max: number; before: (count: number, context: TermContext) => Date }>([
  ['h', { max: 876_000, before: (count, { now }) => new Date(now.getTime() - count * 3_600_000) }],
  ['d', { max: 36_500, before: (count, { now }) => new Date(now.getTime() - count * 86_400_000) }],
  ['m', { max: 1200, before: (count, { now, timezone }) => addMonths(now, -count, timezone) }],
  ['y', { max: 100, before: (count, { now, timezone }) => addMonths(now, -12 * count, timezone) }],
])

function ageOperator(name: string, kind: 'since' | 'before'): Operator {
  return {
    read: ({ text }, context) => {
      const [, digits, unit] = /^(\d{1,6})([hdmy])$/.exec(text) ?? []
      const reader = ageUnits.get(unit ?? '')
      const count = Number(digits)
      if (reader === undefined || count > reader.max) return null
      if (unit === 'm') {
        context.findings.notes.add(
          `query: ${name}:${count}m means ${count} months; m is minutes only in since and before.`,
        )
      }
      return { kind, at: reader.before(count, context) }
    },
    takes: 'Nh, Nd, Nm (months) or Ny, at most 100 years',
    nearest: (text) => {
      const [, weeks] = /^(\d{1,3})w$/i.exec(text) ?? []
      return weeks === undefined ? '7d' : `${Number(weeks) * 7}d`
    },
  }
}

const placeOperator = (operator: 'in' | 'label'): Operator => ({
  read: ({ text }, { findings }) => {
    if (operator === 'label' || !/^anywhere$/i.test(text)) return { kind: 'place', operator, name: text }
    findings.isAnywhere = true
    return { kind: 'all' }
  },
  takes: 'a folder reference',
  nearest: quoted,
})

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['from', textOperator('from')],
  ['to', textOperator('to')],
  ['cc', textOperator('cc')],
  ['bcc', textOperator('bcc')],
  ['subject', textOperator('subject')],
  ['body', textOperator('body')],
  ['has', wordOperator(new Map([['attachment', { kind: 'attachment' }]]))],
  [
    'is',
    wordOperator(
      new Map<string, QueryNode>([
        ['unread', { kind: 'flag', flag: 'seen', isSet: false }],
        ['read', { kind: 'flag', flag: 'seen', isSet: true }],
        ['starred', { kind: 'flag', flag: 'flagged', isSet: true }],
        ['unstarred', { kind: 'flag', flag: 'flagged', isSet: false }],
        ['answered', { kind: 'flag', flag: 'answered', isSet: true }],
      ]),
    ),
  ],
  [
    'filename',
    { read: ({ text }) => ({ kind: 'filename', value: text }), takes: 'any text', nearest: quoted },
  ],
  ['in', placeOperator('in')],
  ['label', placeOperator('label')],
  ['larger', sizeOperator('larger')],
  ['size', sizeOperator('larger')],
  ['smaller', sizeOperator('smaller')],
  ['after', dateOperator('since')],
  ['newer', dateOperator('since')],
  ['before', dateOperator('before')],
  ['older', dateOperator('before')],
  ['newer_than', ageOperator('newer_than', 'since')],
  ['older_than', ageOperator('older_than', 'before')],
  ['rfc822msgid', headerOperator('message-id')],
  ['list', headerOperator('list-id')],
  ['deliveredto', headerOperator('delivered-to')],
])
