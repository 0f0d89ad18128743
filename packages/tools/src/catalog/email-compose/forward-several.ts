import { createHash } from 'node:crypto'
import type { Outcome } from '@postern/access'
import { isPastNoReturn, remainingMs, type Fault, type WriteStage } from '@postern/core'
import * as z from 'zod'
import { fitItems } from '../../budget.ts'
import { writeEnvelope } from '../../outputs.ts'
import type { Json, WriteContext, Written } from '../../define-tool.ts'
import { shownId } from '../../message-ids.ts'
import { performWrite } from '../../perform-write.ts'
import { settle } from '../../settle.ts'
import type { SentMessage } from '../../compose/submit-message.ts'

/** Below this no further message is begun: one that was begun should see its end. */
const reserveMs = 12_000
/** Tokens of the results that are named. */
const resultTokens = 500

const part = writeEnvelope.pick({ outcome: true, possible_duplicate_of: true }).extend({
  message_id: z.string(),
  operation_id: z.string().optional(),
  code: z.string().optional(),
  approval_id: z.string().optional(),
})
type Part = z.input<typeof part>

/** What stands in the answer of a forward of several. */
export const severalOwn = {
  results: z.array(part).describe('Of several messages: those that were not sent come first.').optional(),
  results_omitted: z.number().int().optional(),
  attempted: z.number().int().describe('So many of message_ids, from the first.').optional(),
  has_more: z.boolean().optional(),
} as const
export type SeveralOwn = z.input<z.ZodObject<typeof severalOwn>>

interface Forwarding {
  readonly ids: readonly string[]
  /** The arguments that all of them share: what a repeated call is known by. */
  readonly args: Json
  readonly one: (messageId: string, context: WriteContext) => Promise<SentMessage>
}

/**
 * Forwards messages one after the other, each a submission with a row of its own in the ledger: what a crash or a lost
 * answer leaves open is open for one of them, and can be looked for by its Message-ID. With an idempotency key every
 * message has one derived of it, so that none goes twice however often the call is made. The row of the call itself
 * passes the point of no return with the first message that does: from there on nobody repeats it as a whole.
 * @throws the first failure where nothing was sent and nothing is unknown.
 */
export async function forwardSeveral(
  { ids, args, one }: Forwarding,
  context: WriteContext,
): Promise<Written<SeveralOwn>> {
  const enterCall = onceOnly(() => context.write.enter('data'))
  // What has begun goes on whoever has left.
  const call = { ...context.call, signal: new AbortController().signal }
  const parts: Part[] = []
  const faults: Fault[] = []
  for (const id of ids) {
    if (parts.length > 0 && remainingMs(context.call.deadline) < reserveMs) break
    const write = (_: Json, own: WriteContext): Promise<SentMessage> =>
      one(id, {
        ...own,
        write: {
          ...own.write,
          enter: async (stage: WriteStage) => {
            if (isPastNoReturn(stage)) await enterCall()
            await own.write.enter(stage)
          },
        },
      })
    const input = { ...args, message_id: id, ...keyOf(context.idempotencyKey, id) }
    const { value, fault } = await settle(
      () => performWrite({ effect: 'send', write }, input, { ...context, call }),
      call,
    )
    if (fault !== null) faults.push(fault)
    parts.push(fault === null ? tellAnswer(id, value.answer) : tellFault(id, fault))
  }
  return summarise(parts, ids.length, faults, context)
}

function keyOf(key: string | null, messageId: string): { readonly idempotency_key?: string } {
  if (key === null) return {}
  return { idempotency_key: createHash('sha256').update(`${key}\0${messageId}`).digest('base64url') }
}

function onceOnly(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= act())
}

function tellAnswer(id: string, answer: Json): Part {
  const { outcome, operation_id, approval_id, possible_duplicate_of } = answer
  return {
    message_id: shownId(id),
    outcome: outcome as Outcome,
    operation_id: operation_id as string,
    ...(typeof approval_id === 'string' ? { approval_id } : {}),
    ...(typeof possible_duplicate_of === 'string' ? { possible_duplicate_of } : {}),
  }
}

function tellFault(id: string, { code, details }: Fault): Part {
  const { operation_id } = details
  return {
    message_id: shownId(id),
    // Another call is at it just now.
    outcome: code === 'operation_in_progress' ? 'unknown' : 'not_sent',
    code,
    ...(typeof operation_id === 'string' ? { operation_id } : {}),
  }
}

function summarise(
  parts: readonly Part[],
  asked: number,
  [firstFault]: readonly Fault[],
  context: WriteContext,
): Written<SeveralOwn> {
  const outcomes = new Set(parts.map(({ outcome }) => outcome))
  const [only] = outcomes
  if (outcomes.size === 1 && only === 'not_sent' && firstFault !== undefined) throw firstFault
  const hasMore = parts.length < asked
  if (hasMore)
    context.note(
      'The time of this call ended: another call, with another idempotency_key, takes the message_ids that are left.',
    )
  const worstFirst = parts.toSorted((a, b) => Number(a.outcome === 'sent') - Number(b.outcome === 'sent'))
  const results = fitItems(worstFirst, resultTokens)
  return {
    outcome: outcomes.size === 1 && only !== undefined && !hasMore ? only : 'partial',
    own: {
      results: [...results],
      ...(results.length < parts.length ? { results_omitted: parts.length - results.length } : {}),
      attempted: parts.length,
      has_more: hasMore,
    },
    items: [],
  }
}
