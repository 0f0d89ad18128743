import { isList, tokenNumber, tokenOctets, tokenText, type Line, type Token } from './wire.ts'

/** What the server said of one message. Null: not said, or not readable. */
export interface FetchedItem {
  readonly sequence: number
  readonly uid: number | null
  /** As spelled: `\Seen`, `$Forwarded`. */
  readonly flags: readonly string[] | null
  readonly internalDate: Date | null
  readonly sizeBytes: number | null
  /** The raw BODYSTRUCTURE; `parts.ts` reads it. */
  readonly structure: Token
  /** Server-made first words (RFC 8970). */
  readonly preview: string | null
  /** EMAILID (RFC 8474) or Gmail's X-GM-MSGID. */
  readonly emailId: string | null
  readonly threadId: string | null
  /** Header octets of `BODY[HEADER.FIELDS ...]` or `BODY[HEADER]`. */
  readonly headers: Uint8Array | null
  /** Octets by section number; the whole message is the empty string. An absent section is missing here. */
  readonly sections: ReadonlyMap<string, Uint8Array>
}

type Draft = { -readonly [Key in keyof FetchedItem]: FetchedItem[Key] } & {
  sections: Map<string, Uint8Array>
}

/** Which messages a FETCH names. */
export interface FetchSet {
  readonly by: 'uid' | 'sequence'
  /** Not empty; in any order. */
  readonly numbers: readonly number[]
}

/** Messages of which nothing but a sequence number is known, beside those that were asked for. */
const maxNameless = 100

/**
 * Gathers FETCH lines by message, in the order of sequence numbers. A server may say of one message in several
 * lines, say the same twice, or speak of messages nobody asked for (RFC 3501 7.4.2, 7): of those nothing is kept, and
 * however many lines come, each costs no more than the messages that were asked for allow.
 */
export class FetchedItems {
  readonly #by: FetchSet['by']
  readonly #asked: ReadonlySet<number>
  /** Sorted by sequence number. */
  readonly #items: Draft[] = []

  constructor({ by, numbers }: FetchSet) {
    this.#by = by
    this.#asked = new Set(numbers)
  }

  /**
   * Takes one untagged line. An EXPUNGE takes a message out again: servers answer a UID FETCH from the view they
   * have shown so far, and say behind it what has gone meanwhile (RFC 3501 7.4.1).
   */
  add(line: Line): void {
    if (line.number === null || line.number === 0) return
    if (line.keyword === 'EXPUNGE') this.#expunge(line.number)
    if (line.keyword !== 'FETCH') return
    const fields = line.tokens.find(isList)
    if (fields === undefined) return
    const at = this.#position(line.number)
    const known = this.#items[at]
    const isKnown = known?.sequence === line.number
    if (!isKnown && !this.#isWanted(line.number, fields)) return
    const item = isKnown ? known : empty(line.number)
    if (!isKnown) this.#items.splice(at, 0, item)
    for (let at = 0; at + 1 < fields.length; at += 2) setField(item, fields[at], fields[at + 1] ?? null)
  }

  list(): readonly FetchedItem[] {
    return this.#items
  }

  /** RFC 3501 6.4.8: lines during a UID command name the UID. One that does not may be of a message that was asked for. */
  #isWanted(sequence: number, fields: readonly Token[]): boolean {
    const number = this.#by === 'sequence' ? sequence : readUid(fields)
    if (number === null) return this.#items.length < this.#asked.size + maxNameless
    return this.#asked.has(number)
  }

  #expunge(sequence: number): void {
    let at = this.#position(sequence)
    if (this.#items[at]?.sequence === sequence) this.#items.splice(at, 1)
    for (; at < this.#items.length; at += 1) {
      const item = this.#items[at]
      if (item !== undefined) item.sequence -= 1
    }
  }

  /** Index of the first item at or behind a sequence number. */
  #position(sequence: number): number {
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#items[middle]?.sequence ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }
}

function readUid(fields: readonly Token[]): number | null {
  for (let at = 0; at + 1 < fields.length; at += 2) {
    if (tokenText(fields[at])?.toUpperCase() === 'UID') return tokenNumber(fields[at + 1]) || null
  }
  return null
}

function empty(sequence: number): Draft {
  return {
    sequence,
    uid: null,
    flags: null,
    internalDate: null,
    sizeBytes: null,
    structure: null,
    preview: null,
    emailId: null,
    threadId: null,
    headers: null,
    sections: new Map(),
  }
}

function setField(item: Draft, key: Token | undefined, value: Token): void {
  if (key === null || key === undefined || isList(key)) return
  switch (tokenText(key)?.toUpperCase() ?? '') {
    case 'UID':
      item.uid = tokenNumber(value) || null
      break
    case 'FLAGS':
      if (isList(value)) item.flags = value.map((flag) => tokenText(flag)).filter((flag) => flag !== null)
      break
    case 'INTERNALDATE':
      item.internalDate = parseInternalDate(tokenText(value))
      break
    case 'RFC822.SIZE':
      item.sizeBytes = readSize(tokenText(value))
      break
    case 'BODYSTRUCTURE':
      item.structure = value
      break
    case 'PREVIEW':
      item.preview = readPreview(value)
      break
    case 'EMAILID':
    case 'X-GM-MSGID':
      item.emailId = tokenText(isList(value) ? value[0] : value)
      break
    case 'THREADID':
    case 'X-GM-THRID':
      item.threadId = tokenText(isList(value) ? value[0] : value)
      break
    case 'BODY':
      if (key.section !== undefined) setSection(item, key.section, tokenOctets(value))
      break
    default:
  }
}

function setSection(item: Draft, section: readonly Token[], octets: Uint8Array | null): void {
  if (octets === null) return
  const name = (tokenText(section[0]) ?? '').toUpperCase()
  if (name === 'HEADER' || name === 'HEADER.FIELDS') item.headers = octets
  else item.sections.set(name, octets)
}

// The draft that some servers still speak wraps the text: `(FUZZY "words")`.
function readPreview(value: Token): string | null {
  return isList(value) ? tokenText(value.at(-1)) : tokenText(value)
}

// RFC 9051 number64: a message may be larger than 32 bits can say.
function readSize(digits: string | null): number | null {
  return digits !== null && /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const internalDateShape =
  /^ ?(\d{1,2})-([A-Za-z]{3})-(\d{4}) (\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})? ?(?:([+-])(\d{2}):?(\d{2})|[A-Z]{0,5})$/

/** RFC 3501 `date-time`: `17-Jul-1996 02:44:25 -0700`, the day padded with a space. Null when it is not one. */
export function parseInternalDate(text: string | null): Date | null {
  const found = text === null ? null : internalDateShape.exec(text)
  if (found === null) return null
  const [, day, monthName, year, hour, minute, second, sign, zoneHours, zoneMinutes] = found
  const month = months.indexOf((monthName ?? '').toLowerCase())
  if (month < 0) return null
  const offset = (Number(zoneHours ?? 0) * 60 + Number(zoneMinutes ?? 0)) * (sign === '-' ? -1 : 1)
  const at = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second))
  const date = new Date(at - offset * 60_000)
  return Number.isNaN(date.getTime()) ? null : date
}
