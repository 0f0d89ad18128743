import { Fault, quote } from '@postern/core'

/** Where in the caller's query something stands: the whole text and the index of its first character. */
export interface QueryPlace {
  readonly text: string
  readonly at: number
}

/** `problem` is a clause that "at position N" can follow; positions count characters from 0. */
export function querySyntax(place: QueryPlace, problem: string): Fault {
  const position = positionOf(place)
  const rest = place.text.slice(place.at, place.at + 20)
  return new Fault('query_syntax', {
    public: `query: ${problem} at position ${position}, ${rest === '' ? 'the end' : `where ${quote(rest)} stands`}. Nothing was done.`,
    details: { argument: 'query', position },
  })
}

/** What is not understood, and the supported form that comes nearest to it. */
export interface Unsupported {
  readonly operator: string
  /** The operator with its value, as the caller wrote it. */
  readonly written: string
  readonly nearest: string
  readonly why: string
}

/** Never treated as text and never dropped: the caller learns what would have worked. */
export function queryUnsupported(place: QueryPlace, unsupported: Unsupported): Fault {
  const position = positionOf(place)
  const { operator, written, nearest, why } = unsupported
  return new Fault('query_unsupported', {
    public:
      `query: ${quote(written)} at position ${position} is not supported: ${why} Nothing was done. ` +
      // Without the quotes of `quote`: the form may have its own, and is meant to be copied.
      `Nearest supported form: ${quote(nearest).slice(1, -1)}`,
    details: { argument: 'query', position, operator: operator.slice(0, 40), nearest: nearest.slice(0, 80) },
  })
}

function positionOf({ text, at }: QueryPlace): number {
  return Array.from(text.slice(0, at)).length
}
