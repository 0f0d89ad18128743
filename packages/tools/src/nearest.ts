import { editDistance } from '@postern/core'

/** The candidate with the fewest edits to `word`, or null when none is near enough to be a misspelling of it. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.slice(0, 64).toLowerCase()
  let best: string | null = null
  // One edit in three letters: of short words more edits make another word, as `send` of `read`.
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}
