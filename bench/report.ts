/** One measured line: what was bounded, what was found. */
export interface Measure {
  readonly what: string
  readonly found: string
  readonly bound: string
  readonly isWithin: boolean
}

/** Prints the measures as a table; says at the end whether all bounds were kept. */
export function printMeasures(measures: readonly Measure[]): void {
  const rows = measures.map(({ what, found, bound, isWithin }) => [
    what,
    found,
    bound,
    isWithin ? 'kept' : 'MISSED',
  ])
  const all = [['measure', 'found', 'bound', ''], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  for (const row of all)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

export function ratio(what: string, found: number, bound: number, detail: string): Measure {
  return {
    what,
    found: `${found.toFixed(2)} (${detail})`,
    bound: `at most ${bound}`,
    isWithin: found <= bound,
  }
}

/** The middle value: what a run in twenty of a busy machine cannot move. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
