/**
 * Steps of a write, each written down before it begins. `change` is the first command that changes a mailbox, `data`
 * the first octet of a message to a submission server.
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

const irrevocable: ReadonlySet<WriteStage> = new Set(['data', 'change', 'sent_copy', 'draft_removal'])

/** From here on a write that was interrupted may have acted: it is unknown what became of it. */
export function isPastNoReturn(stage: WriteStage): boolean {
  return irrevocable.has(stage)
}
