/**
 * Levenshtein distance of two short strings, for suggesting what may have been meant. Time is the product of
 * the lengths: callers cap both.
 */
export function editDistance(a: string, b: string): number {
  const left = Array.from(a)
  const right = Array.from(b)
  // One row, overwritten from left to right: a suggestion may be looked for among thousands of names.
  const row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 0; i < left.length; i += 1) {
    let diagonal = i
    let before = i + 1
    row[0] = before
    for (let j = 0; j < right.length; j += 1) {
      const above = row[j + 1] ?? 0
      const substituted = diagonal + (left[i] === right[j] ? 0 : 1)
      before = Math.min(substituted, above + 1, before + 1)
      row[j + 1] = before
      diagonal = above
    }
  }
  return row[right.length] ?? left.length
}
