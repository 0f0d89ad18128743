import type { WriteStage } from '@postern/core'
import type { Call } from './call.ts'

/**
 * Last argument of every verb that changes something. The signal stops queued work and never what has begun.
 * `enter` is awaited before each step; it throws when this process may no longer go on (another has taken the
 * operation over), and then nothing of that step has been done.
 */
export interface WriteCall extends Call {
  readonly enter: (stage: WriteStage) => Promise<void>
}
