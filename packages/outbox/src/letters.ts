/** So many letters and digits tell one piece of text from another. */
const compared = 60

/**
 * The first letters and digits of a text, in small letters: what is left the same when a text was rendered, cleaned,
 * wrapped or quoted in between. Linear, and bounded.
 */
export function lettersOf(text: string): string {
  return (text.slice(0, 2_000).match(/[\p{L}\p{N}]/gu) ?? []).slice(0, compared).join('').toLowerCase()
}
