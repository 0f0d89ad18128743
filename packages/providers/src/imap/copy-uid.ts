import { isList, tokenNumber, tokenText, type Line, type Token } from './wire.ts'

/** Where copies of messages are: the UIDs at the destination by those at the source. */
export interface CopyUid {
  readonly uidValidity: number
  readonly byUid: ReadonlyMap<number, number>
}

/**
 * What COPYUID says (RFC 4315 3): of COPY in the tagged answer, of MOVE in an untagged OK before it (RFC 6851 4.3).
 * Null where it was not said, or cannot be true: its sets differ in length, or name more than was asked for.
 */
export function readCopyUid(
  code: readonly Token[] | undefined,
  lines: readonly Line[],
  asked: number,
): CopyUid | null {
  const found = [code, ...lines.filter(({ keyword }) => keyword === 'OK').map(sectionOf)].find(
    (section) => tokenText(section?.[0])?.toUpperCase() === 'COPYUID',
  )
  if (found === undefined) return null
  const uidValidity = tokenNumber(found[1])
  const [from, to] = [expand(tokenText(found[2]), asked), expand(tokenText(found[3]), asked)]
  if (uidValidity === null || from === null || to === null || from.length !== to.length) return null
  return { uidValidity, byUid: new Map(from.map((uid, index) => [uid, to[index] ?? 0])) }
}

function sectionOf({ tokens }: Line): readonly Token[] | undefined {
  const first = tokens[0]
  return first === null || first === undefined || isList(first) ? undefined : first.section
}

/** The numbers of a set in its own order; null for what is no set, or holds more than `most`. */
function expand(text: string | null, most: number): readonly number[] | null {
  if (text === null || !/^\d{1,10}(?::\d{1,10})?(?:,\d{1,10}(?::\d{1,10})?){0,20000}$/.test(text)) return null
  const numbers: number[] = []
  for (const run of text.split(',')) {
    const [first = 0, last = first] = run.split(':').map(Number)
    const step = last < first ? -1 : 1
    const count = Math.abs(last - first) + 1
    if (numbers.length + count > most) return null
    for (let index = 0; index < count; index += 1) numbers.push(first + step * index)
  }
  return numbers
}
