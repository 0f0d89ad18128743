/**
 * Steps of a write in their order, each written down before it begins. `change` is the first command that changes a
 * mailbox, `data` the first octet of a message to a submission server.
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

/**
 * Whether a write that has come as far as `reached` may enter `next`. What may have acted does not become harmless
 * again, and one write sends one message: `data` is entered once, and not after a change.
 */
export function mayEnter(next: WriteStage, reached: WriteStage): boolean {
  return (isPastNoReturn(next) && next !== 'data') || !isPastNoReturn(reached)
}

/** The later of two steps: how far a write has come, when a step is done again. */
export function furtherStage(a: WriteStage, b: WriteStage): WriteStage {
  return writeStages.indexOf(a) < writeStages.indexOf(b) ? b : a
}
