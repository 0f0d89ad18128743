import { tokenNumber, type Line } from './wire.ts'

/** The numbers of untagged SEARCH lines, in the server's order. A search may be answered in several lines, or in none. */
export function searchNumbers(lines: readonly Line[]): readonly number[] {
  return lines
    .filter((line) => line.keyword === 'SEARCH')
    .flatMap((line) => line.numbers ?? line.tokens.map(tokenNumber).filter((number) => number !== null))
}
