/**
 * How a write ended. `done`, `sent` and `partial` are proven; `not_sent` and `failed` left nothing behind; of `unknown`
 * nobody can say, and nobody repeats it. `not_sent` is of sends, `failed` of everything else.
 */
export const outcomes = [
  'done',
  'sent',
  'partial',
  'scheduled',
  'pending_approval',
  'unknown',
  'not_sent',
  'failed',
] as const
export type Outcome = (typeof outcomes)[number]

/** Nothing came of it: the same call may run again. */
export function leftNothing(outcome: Outcome): boolean {
  return outcome === 'not_sent' || outcome === 'failed'
}
