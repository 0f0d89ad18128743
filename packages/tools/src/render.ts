import { Fault } from '@postern/core'
import { estimateTokens } from '@postern/mail'
import { maxResultTokens } from './budget.ts'
import type { FileContent, ToolResult } from './context.ts'
import type * as z from 'zod'
import type { Json } from './define-tool.ts'
import { tellNotes } from './tell-notes.ts'

interface Answered {
  readonly operation: string
  readonly answer: Json
  readonly files?: readonly FileContent[]
  /** Null: as fields. */
  readonly prose?: ((answer: Json) => string) | null
}

/**
 * A finished answer in both halves, which hold the same facts. Actions fit their items to the cap themselves,
 * since only they can say where to continue; what still exceeds it is refused rather than cut blindly.
 * Files follow the text and do not count as tokens: octets are bounded where they are read.
 * @throws internal_error when an answer does not fit its own schema, result_too_large.
 */
export function render(
  output: z.ZodObject,
  { operation, answer, files = [], prose = null }: Answered,
  notes: readonly string[],
): ToolResult {
  const checked = output.safeParse(answer)
  if (!checked.success) {
    throw new Fault('internal_error', {
      public: 'Postern made an answer that breaks its own contract and withheld it. Nothing was changed.',
      internal: `output of ${operation}: ${checked.error.issues.map(({ path, code }) => `${path.join('.')} ${code}`).join('; ')}`,
    })
  }
  const told = tellNotes(notes)
  const structuredContent: Json = { ...checked.data, ...(told.length === 0 ? {} : { notes: told }) }
  const text = prose === null ? JSON.stringify(structuredContent) : withNotes(prose(checked.data), told)
  const tokens = estimateTokens(text)
  if (tokens > maxResultTokens) {
    throw new Fault('result_too_large', {
      public: `The answer would have about ${tokens} tokens, and a result has at most ${maxResultTokens}. A lower limit or body_max_chars makes it smaller. Nothing was changed.`,
      details: { tokens, limit_tokens: maxResultTokens },
    })
  }
  const content: ToolResult['content'] = [{ type: 'text', text }, ...files]
  return prose === null ? { content, structuredContent } : { content }
}

function withNotes(prose: string, notes: readonly string[]): string {
  return notes.length === 0
    ? prose
    : `${prose}\n\nNotes of Postern:\n${notes.map((one) => `- ${one}`).join('\n')}`
}
