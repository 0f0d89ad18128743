import { cutGraphemes } from './cut-graphemes.ts'
import { defuseFences, defuseMarkdown, defuseTags } from './defuse.ts'
import { stripInvisible } from './strip-invisible.ts'
import type { CleanText, RawText } from './text.ts'

/**
 * The only maker of `CleanText`. What leaves here shows everything it holds: no invisible or reordering
 * characters, no Markdown that would fetch or run, no fence but ours. It is still a stranger's word.
 */

/** Longest short field (subject, names, filenames, folder names) that leaves, in UTF-16 units. */
export const maxLineChars = 1_000

const ellipsis = '\u2026'

/**
 * A short field: one line, each white space around a line end or tab made one space, cut at `max` UTF-16 units with
 * an ellipsis (U+2026) that counts among them. No cut parts a grapheme.
 */
export function cleanLine(raw: RawText, max: number = maxLineChars): CleanText {
  const line = stripInvisible(raw)
    .split(/[\t\n]/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ')
  const inert = defuseFences(defuseTags(defuseMarkdown(line)))
  return brand(inert.length <= max ? inert : `${cutGraphemes(inert, max - 1).trimEnd()}${ellipsis}`)
}

/** Text of several lines: tabs and line ends (as `\n`) stay, nothing is cut. */
export function cleanBlock(raw: RawText): CleanText {
  return brand(defuseFences(defuseTags(defuseMarkdown(stripInvisible(raw)))))
}

/** HTML that `sanitise-html.ts` built from its allow-list; anything else belongs into `cleanBlock`. */
export function cleanMarkup(markup: RawText): CleanText {
  return brand(defuseFences(defuseMarkdown(stripInvisible(markup))))
}

/** Our own words, which need no cleaning; never text that came from a mailbox or a server. */
export function ownText(text: string): CleanText {
  return brand(text)
}

/** Clean text stays clean when it is cut. Indexes as in `String.slice`; the caller minds graphemes. */
export function sliceClean(text: CleanText, start: number, end?: number): CleanText {
  return brand(text.slice(start, end))
}

/** Clean pieces joined as they are. Pieces must meet at line ends, or two of them could spell what neither did. */
export function joinClean(pieces: readonly CleanText[]): CleanText {
  return brand(pieces.join(''))
}

function brand(text: string): CleanText {
  return text as CleanText
}
