import type { Log } from '@postern/core'

/**
 * Last argument of every verb. A fired signal stops reads and queued work. `deadline` is absolute; a verb
 * that reaches it throws `timeout` or, where its result can say so, reports what it did not reach.
 */
export interface Call {
  readonly signal: AbortSignal
  readonly deadline: Date
  readonly log: Log
}
