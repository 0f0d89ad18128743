import type { Call } from './adapter.ts'

/**
 * Steps of a write that the ledger knows. `change` is the first command that changes a mailbox, `data` the first octet
 * of a message to a submission server: the two points from which a write cannot be taken back.
 */
export const writeStages = [
  'claim',
  'source',
  'compose',
  'policy',
  'connect',
  'envelope',
  'data',
  'change',
  'sent_copy',
  'draft_removal',
] as const
export type WriteStage = (typeof writeStages)[number]

/**
 * Last argument of every verb that changes something. The signal stops queued work and never what has begun.
 * `enter` is awaited before each step; it throws when this process may no longer go on (another has taken the
 * operation over), and then nothing of that step has been done.
 */
export interface WriteCall extends Call {
  readonly enter: (stage: WriteStage) => Promise<void>
}
