import { estimateTokens } from '@postern/mail'
import type { ActionContext, Json } from './define-tool.ts'
import { tellNotes } from './tell-notes.ts'

/** Tokens one half of a result may have. */
export const maxResultTokens = 20_000

/** What a value costs as the JSON that an agent reads. */
export function tokensOf(value: unknown): number {
  return estimateTokens(JSON.stringify(value))
}

/** Tokens left for items beside the rest of an answer and the notes so far. */
export function roomBeside({ notes }: Pick<ActionContext, 'notes'>, rest: Json): number {
  return maxResultTokens - tokensOf(rest) - tokensOf(tellNotes(notes)) - 100
}

/** Items from the front that fit `budgetTokens` together, at least one. */
export function fitItems<T>(items: readonly T[], budgetTokens: number): readonly T[] {
  let used = 0
  let kept = 0
  for (const item of items) {
    used += tokensOf(item) + 1
    if (used > budgetTokens && kept > 0) break
    kept += 1
  }
  return items.slice(0, kept)
}

export interface Truncation {
  readonly truncated?: true
  readonly truncated_reason?: string
}

/** The two fields that announce a cut, in our words. */
export function truncated(reason: string): Truncation {
  return { truncated: true, truncated_reason: reason }
}
