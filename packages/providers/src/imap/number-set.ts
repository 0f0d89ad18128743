/** Numbers as an IMAP set with runs: 1, 2, 3, 7 become `1:3,7`. Sorts and drops repeats; never call it with none. */
export function packNumberSet(numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  const runs: [first: number, last: number][] = []
  for (const number of sorted) {
    const run = runs.at(-1)
    if (run !== undefined && number === run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(',')
}

/**
 * Pieces of at most `size` numbers. RFC 7162 4 and RFC 2683 3.2.1.5: a command line stays below 8,000 octets,
 * which 500 numbers of ten digits do.
 */
export function chunk<T>(items: readonly T[], size = 500): T[][] {
  const pieces: T[][] = []
  for (let at = 0; at < items.length; at += size) pieces.push(items.slice(at, at + size))
  return pieces
}
