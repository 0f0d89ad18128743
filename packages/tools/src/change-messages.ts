import type { MarkDelta, OperationItem, Outcome } from '@postern/access'
import type { Fault } from '@postern/core'
import {
  sealMessageId,
  type Flags,
  type FolderId,
  type ItemOutcome,
  type MarkChange,
  type MessageRef,
} from '@postern/mail'
import * as z from 'zod'
import type { ChangeMail, WriteContext } from './define-tool.ts'
import { shownId } from './message-ids.ts'
import { onlyInbox } from './only-inbox.ts'
import { itemResult } from './outputs.ts'

/** Messages that a result names; of more only the number is told. */
const maxNamed = 10
/** How a change is taken back; good for 24 hours and once. */
export const undo = z
  .strictObject({
    tool: z.literal('email_organize'),
    arguments: z.strictObject({
      action: z.literal('undo'),
      operation_id: z.string(),
      inbox_id: z.string().optional(),
    }),
  })
  .describe('The call that takes this back: for 24 h, once.')

/** The answer of an act on messages. Those that succeeded are counted; the others are named, the first ten. */
export const organised = z.strictObject({
  destination_folder_id: z.string().optional(),
  matched: z.number().int().describe('Messages that were named, each once: the sum of the four counts.'),
  succeeded: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  unknown: z.number().int(),
  results: z
    .array(itemResult)
    .describe('Messages that were not done, with the reason; of one message always.'),
  results_omitted: z.number().int().optional(),
  undo: undo.optional(),
})

export type Organised = z.input<typeof organised>

/** A message as it was found right before it is changed. */
export interface FoundMessage {
  readonly ref: MessageRef
  readonly folderId: FolderId
  readonly flags: Flags
  readonly labels: readonly string[]
}

/** What is to be done with messages. */
export interface Change {
  readonly verb: (mail: ChangeMail, refs: readonly MessageRef[]) => Promise<readonly ItemOutcome[]>
  /** The marks that the verb sets, so that just these can be taken back. */
  readonly marks?: MarkChange
  /** False: nothing of it can be undone. */
  readonly isReversible: boolean
  /** True: a message that has left its address is changed only where it is certain which one it is. */
  readonly needsCertainty?: boolean
  /** What the ledger has to know for the messages to be looked for, if nobody lives to tell. */
  readonly about?: Readonly<Record<string, string | boolean>>
}

/** What became of the messages, in order, with what the ledger keeps of them. */
export interface Changed {
  readonly outcomes: readonly ItemOutcome[]
  readonly items: readonly OperationItem[]
}

/**
 * Changes messages, having written down where each one lies before the first is touched.
 * @throws what the verb throws; then nothing was changed.
 */
export async function changeMessages(
  messages: readonly FoundMessage[],
  mail: ChangeMail,
  change: Change,
  context: WriteContext,
): Promise<Changed> {
  const itemOf = ({ ref, flags, labels }: FoundMessage): OperationItem => ({
    before: ref.locator,
    after: null,
    status: 'unknown',
    ...(change.marks === undefined ? {} : { marks: deltaOf(change.marks, flags, labels) }),
  })
  const items = messages.map(itemOf)
  if (messages.length === 0) return { outcomes: [], items }
  const { about } = change
  context.deps.ledger.note(context.claimed, about === undefined ? { items } : { items, about })
  const refs = messages.map(({ ref }) => ref)
  const outcomes = await change.verb(mail, refs)
  return { outcomes, items: items.map((item, index) => ({ ...item, ...endOf(outcomes[index]) })) }
}

function endOf(outcome: ItemOutcome | undefined): Pick<OperationItem, 'after' | 'status'> {
  if (outcome === undefined) throw new TypeError('a verb that did not answer for a message')
  return {
    after: outcome.status === 'done' ? (outcome.newRef?.locator ?? null) : null,
    status: outcome.status,
  }
}

/** The marks that a change makes or takes away, of those that the message does not have, or has, already. */
function deltaOf(change: MarkChange, flags: Flags, labels: readonly string[]): MarkDelta {
  if (change.kind === 'flag') {
    const names = flags[change.flag] === change.isOn ? [] : [change.flag]
    return change.isOn ? { added: names, removed: [] } : { added: [], removed: names }
  }
  const has = new Set(labels.map((name) => name.toLowerCase()))
  const named = (names: readonly string[], isThere: boolean): string[] =>
    names.filter((name) => has.has(name.toLowerCase()) === isThere).map((name) => `label:${name}`)
  return { added: named(change.add, false), removed: named(change.remove, true) }
}

/** What became of one id that a caller passed, or of one message that was found. */
export type Result =
  | { readonly id: string; readonly status: 'done'; readonly newRef: MessageRef | null }
  | { readonly id: string; readonly status: 'unchanged'; readonly code?: string }
  | { readonly id: string; readonly status: 'failed' | 'unknown'; readonly fault: Fault }

export function resultOf(id: string, outcome: ItemOutcome): Result {
  const { ref: _, ...rest } = outcome
  return { id, ...rest }
}

/** @throws the first failure when it is all there is to tell. */
export function outcomeOf(results: readonly Result[]): Outcome {
  const count = (status: Result['status']): number => results.filter((one) => one.status === status).length
  const [failed, unknown] = [count('failed'), count('unknown')]
  const [first] = results
  if (first === undefined) return 'done'
  if (failed === results.length && first.status === 'failed') throw first.fault
  if (unknown === results.length) return 'unknown'
  return failed + unknown === 0 ? 'done' : 'partial'
}

/** Counts, and the messages worth naming: all of them where a caller named one. */
export function summarise(
  results: readonly Result[],
  context: WriteContext,
  isSingle: boolean,
): Omit<Organised, 'destination_folder_id' | 'undo'> {
  const { inboxId } = onlyInbox(context)
  const count = (status: Result['status']): number => results.filter((one) => one.status === status).length
  const told = results.filter(({ status }) => isSingle || status !== 'done')
  const seal = (ref: MessageRef): string => sealMessageId(context.deps.messageIdSigner, inboxId, ref)
  return {
    matched: results.length,
    succeeded: count('done'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    unknown: count('unknown'),
    results: told.slice(0, maxNamed).map((one) => ({
      message_id: shownId(one.id),
      status: one.status,
      ...('fault' in one ? { code: one.fault.code } : {}),
      ...('code' in one ? { code: one.code } : {}),
      ...(one.status === 'done' && one.newRef !== null ? { new_message_id: seal(one.newRef) } : {}),
    })),
    ...(told.length > maxNamed ? { results_omitted: told.length - maxNamed } : {}),
  }
}

/** The call that takes it back, where there is something to take back. */
export function undoOf(
  { items }: Changed,
  { claimed, reachable }: WriteContext,
  { isReversible }: Change,
): Pick<Organised, 'undo'> {
  if (!isReversible || !items.some(canBeUndone)) return {}
  const { operationId, inboxId } = claimed
  return {
    undo: {
      tool: 'email_organize',
      arguments: {
        action: 'undo',
        operation_id: operationId,
        // Only a key of several inboxes has to name one.
        ...(reachable.length > 1 && inboxId !== null ? { inbox_id: inboxId } : {}),
      },
    },
  }
}

/** It was done, and there is a way back: a place where it is now, and one where it was, or marks that it did not have. */
export function canBeUndone({ before, after, status, marks }: OperationItem): boolean {
  return status === 'done' && before !== null && after !== null && (marks === undefined || size(marks) > 0)
}

function size({ added, removed }: MarkDelta): number {
  return added.length + removed.length
}
