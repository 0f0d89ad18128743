/**
 * Levenshtein distance of two short strings, for suggesting what may have been meant. Time is the product of
 * the lengths: callers cap both.
 */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, right] of Array.from(b).entries()) {
      const substituted = (row[j] ?? 0) + (left === right ? 0 : 1)
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[Array.from(b).length] ?? a.length
}
