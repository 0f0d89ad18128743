import { bufferOver } from './buffer-over.ts'
import { endOfField, endOfLine, findColon, isBlankLine, isWhite } from './header-lines.ts'
import type { HeaderField } from './header.ts'
import { unfold } from './unfold.ts'

/** The fields of a header block, and where what follows it begins. */
export interface HeaderBlock {
  readonly fields: readonly HeaderField[]
  /** Offset behind the blank line, or of the line that is no header any more. */
  readonly bodyStart: number
}

/** Bounds of one block. What lies beyond is passed over: nobody writes it, and each piece costs an object later. */
const maxFields = 10_000
const maxFieldBytes = 256 * 1024
const maxBlockBytes = 1024 * 1024

/**
 * Reads header fields from `start` up to the blank line, in any line ending. Never throws.
 *
 * A line that is no field is passed over when fields go on behind it; otherwise the blank line was forgotten
 * and the body begins there. `isDelimiter` is asked of lines that start with two hyphens: a MIME boundary
 * ends a block that has no blank line.
 * Source: RFC 5322 2.2, 3.5 and 4.5 (white space before the colon).
 */
export function parseHeaderBlock(
  octets: Uint8Array,
  start = 0,
  isDelimiter: (lineStart: number) => boolean = () => false,
): HeaderBlock {
  const fields: HeaderField[] = []
  const view = bufferOver(octets)
  let budget = maxBlockBytes
  let at = start
  while (at < view.length) {
    const lineEnd = endOfLine(view, at)
    if (isBlankLine(view, at)) return { fields, bodyStart: lineEnd }
    if (view[at] === hyphen && view[at + 1] === hyphen && isDelimiter(at)) return { fields, bodyStart: at }
    const colon = findColon(view, at)
    const end = endOfField(view, lineEnd)
    if (colon === -1) {
      const isStray = isWhite(view[at]) || (end < view.length && findColon(view, end) !== -1)
      if (!isStray) return { fields, bodyStart: at }
    } else if (budget > 0 && fields.length < maxFields) {
      fields.push(readField(view, at, colon, Math.min(end, at + Math.min(budget, maxFieldBytes))))
      budget -= end - at
    }
    at = end
  }
  return { fields, bodyStart: at }
}

const hyphen = 0x2d

function readField(view: Buffer, start: number, colon: number, end: number): HeaderField {
  return {
    name: view.toString('latin1', start, colon).trimEnd(),
    value: unfold(view.toString('latin1', Math.min(colon + 1, end), end)).replace(edges, ''),
  }
}

// Not trim(): 0xa0 is an octet of some charset here, and would be a no-break space there.
const edges = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g
