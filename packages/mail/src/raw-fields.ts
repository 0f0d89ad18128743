import { bufferOver } from './buffer-over.ts'
import { endOfField, endOfLine, findColon, isBlankLine } from './header-lines.ts'

/** Where one field of a header block stands: from its name to behind the line break of its last line. */
export interface RawField {
  /** Lower-case. */
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A header block in place, for those who change fields and leave every other octet as it is. */
export interface RawFields {
  readonly fields: readonly RawField[]
  /** Offset of the blank line, or where the block ends without one. */
  readonly end: number
  /** Offset behind the blank line. */
  readonly bodyStart: number
}

/**
 * Every field of a message's header, as `parseHeaderBlock` sees them and without its bounds: what is taken out for
 * the wire must not hide behind ten thousand others.
 * Source: RFC 5322 2.2 and 4.5.
 */
export function listRawFields(octets: Uint8Array): RawFields {
  const view = bufferOver(octets)
  const fields: RawField[] = []
  let at = 0
  while (at < view.length) {
    if (isBlankLine(view, at)) return { fields, end: at, bodyStart: endOfLine(view, at) }
    const colon = findColon(view, at)
    const end = endOfField(view, endOfLine(view, at))
    if (colon !== -1) {
      fields.push({ name: view.toString('latin1', at, colon).trimEnd().toLowerCase(), start: at, end })
    } else if (!isStray(view, at, end)) {
      return { fields, end: at, bodyStart: at }
    }
    at = end
  }
  return { fields, end: at, bodyStart: at }
}

/** A line that is no field among fields; without fields behind it the body has begun and the blank line was forgotten. */
function isStray(view: Buffer, at: number, end: number): boolean {
  return view[at] === 0x20 || view[at] === 0x09 || (end < view.length && findColon(view, end) !== -1)
}

/** A copy of the octets without those fields of the header; the octets themselves where there are none. */
export function withoutFields(octets: Uint8Array, isLeftOut: (field: RawField) => boolean): Uint8Array {
  const left = listRawFields(octets).fields.filter(isLeftOut)
  if (left.length === 0) return octets
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { start, end } of left) {
    pieces.push(octets.subarray(from, start))
    from = end
  }
  return Buffer.concat([...pieces, octets.subarray(from)])
}
