import type { Outcome } from '@postern/access'
import type { Fault } from '@postern/core'
import { sealMessageId, type ItemOutcome, type MessageRef } from '@postern/mail'
import * as z from 'zod'
import type { ChangeMail, WriteContext, Written } from '../../define-tool.ts'
import { requireRef, shownId } from '../../message-ids.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { itemResult } from '../../outputs.ts'
import { settle } from '../../settle.ts'

/** Messages that a result names; of more only the number is told. */
const maxNamed = 10

/** The answer of an act on messages. Those that were done are counted; the others are named, the first ten. */
export const organised = z.strictObject({
  destination_folder_id: z.string().optional(),
  done: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  unknown: z.number().int(),
  results: z
    .array(itemResult)
    .describe('Messages that were not done, with the reason; of one message always.'),
  results_omitted: z.number().int().optional(),
})

export type Organised = z.input<typeof organised>

/**
 * Runs a verb on the messages that these ids stand for, and tells what became of each. An id that leads nowhere fails
 * alone.
 * @throws the first failure when nothing was changed and nothing is unknown.
 */
export async function organise(
  messageIds: readonly string[],
  context: WriteContext,
  verb: (mail: ChangeMail, refs: readonly MessageRef[]) => Promise<readonly ItemOutcome[]>,
): Promise<Written<Organised>> {
  const inbox = onlyInbox(context)
  const ids = [...new Set(messageIds)]
  const known = await Promise.all(
    ids.map(async (id) => ({ id, ref: await settle(async () => requireRef(id, context), context.call) })),
  )
  const refs = known.flatMap(({ ref }) => (ref.value === null ? [] : [ref.value]))
  const outcomes = refs.length === 0 ? [] : await verb(await context.openForChange(inbox), refs)
  const byRef = new Map(outcomes.map((outcome) => [outcome.ref, outcome]))
  const seal = (ref: MessageRef): string => sealMessageId(context.deps.messageIdSigner, inbox.inboxId, ref)
  const results = known.map(({ id, ref }): Result => {
    if (ref.value === null) return { id, status: 'failed', fault: ref.fault }
    const outcome = byRef.get(ref.value)
    if (outcome === undefined) throw new TypeError('a verb that did not answer for a message')
    if (outcome.status === 'done')
      return { id, status: 'done', newId: outcome.newRef === null ? null : seal(outcome.newRef) }
    return outcome.status === 'unchanged' ? { id, status: 'unchanged' } : { id, ...outcome }
  })
  return {
    outcome: outcomeOf(results),
    own: summarise(results, ids.length === 1),
    items: outcomes.map((outcome) => ({
      before: outcome.ref.locator,
      after: outcome.status === 'done' ? (outcome.newRef?.locator ?? null) : null,
      status: outcome.status,
    })),
  }
}

type Result =
  | { readonly id: string; readonly status: 'done'; readonly newId: string | null }
  | { readonly id: string; readonly status: 'unchanged' }
  | { readonly id: string; readonly status: 'failed' | 'unknown'; readonly fault: Fault }

/** @throws the first failure when it is all there is to tell. */
function outcomeOf(results: readonly Result[]): Outcome {
  const count = (status: Result['status']): number => results.filter((one) => one.status === status).length
  const [failed, unknown] = [count('failed'), count('unknown')]
  const [first] = results
  if (failed === results.length && first?.status === 'failed') throw first.fault
  if (unknown === results.length) return 'unknown'
  return failed + unknown === 0 ? 'done' : 'partial'
}

function summarise(results: readonly Result[], isSingle: boolean): Organised {
  const count = (status: Result['status']): number => results.filter((one) => one.status === status).length
  const told = results.filter(({ status }) => isSingle || status !== 'done')
  return {
    done: count('done'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    unknown: count('unknown'),
    results: told.slice(0, maxNamed).map((one) => ({
      message_id: shownId(one.id),
      status: one.status,
      ...('fault' in one ? { code: one.fault.code } : {}),
      ...(one.status === 'done' && one.newId !== null ? { new_message_id: one.newId } : {}),
    })),
    ...(told.length > maxNamed ? { results_omitted: told.length - maxNamed } : {}),
  }
}
