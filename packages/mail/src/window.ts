import { codePointCut, findCut } from './cut-graphemes.ts'
import type { CleanText } from './text.ts'
import { sliceClean } from './untrusted.ts'

/** A stretch of a longer text. Offsets and totals are UTF-16 code units of the text without its fence. */
export interface TextWindow {
  readonly text: CleanText
  readonly offset: number
  readonly totalChars: number
  /** Where the text goes on; null at its end. */
  readonly nextOffset: number | null
}

/**
 * At most `maxChars` units of `text` from `offset`, ending between graphemes. Windows that follow each other's
 * `nextOffset` join to the whole. Every window with `maxChars` of 1 or more moves on: where not one grapheme fits,
 * it is cut between code points, and a lone surrogate pair is given whole.
 */
export function windowText(text: CleanText, offset: number, maxChars: number): TextWindow {
  const totalChars = text.length
  const start = codePointCut(text, Math.min(Math.max(0, offset), totalChars))
  const end = maxChars <= 0 ? start : windowEnd(text, start, start + maxChars)
  return {
    text: sliceClean(text, start, end),
    offset: start,
    totalChars,
    nextOffset: end < totalChars ? end : null,
  }
}

function windowEnd(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length
  const cut = findCut(text, limit)
  if (cut > start) return cut
  const pair = codePointCut(text, limit)
  return pair > start ? pair : limit + 1
}
