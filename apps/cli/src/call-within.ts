import { silentLog } from '@postern/core'
import type { Call } from '@postern/mail'

/** The circumstances of a provider's verb that a command runs: some seconds, nothing to log. */
export function callWithin(seconds: number): Call {
  return {
    signal: AbortSignal.timeout(seconds * 1_000),
    deadline: new Date(Date.now() + seconds * 1_000),
    log: silentLog,
  }
}
