import type { OperationItem } from '@postern/access'
import type { Fault } from '@postern/core'
import { sealMessageId, type ItemOutcome, type MessageRef } from '@postern/mail'
import {
  changeMessages,
  outcomeOf,
  resultOf,
  summarise,
  type FoundMessage,
  type Organised,
  type Result,
} from '../../change-messages.ts'
import type { ChangeMail, WriteContext, Written } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { settle } from '../../settle.ts'

/** What is to become of one message of an undo. */
export interface Step<Way> {
  /** As the operation left it. */
  readonly ref: MessageRef
  readonly plan:
    | { readonly kind: 'go'; readonly found: FoundMessage; readonly way: Way }
    /** It was changed since, and is left alone. */
    | { readonly kind: 'leave' }
    | { readonly kind: 'fail'; readonly fault: Fault }
}

/** Takes back what the steps say, together where the way is the same; answers for each message. */
export async function takeBack<Way>(
  steps: readonly Step<Way>[],
  mail: ChangeMail,
  context: WriteContext,
  act: (refs: readonly MessageRef[], way: Way) => Promise<readonly ItemOutcome[]>,
): Promise<Written<Organised>> {
  const going = steps.flatMap(({ plan }) => (plan.kind === 'go' ? [plan] : []))
  const ways = new Map(going.map(({ found, way }) => [found.ref, way]))
  const changed = await changeMessages(
    going.map(({ found }) => found),
    mail,
    { isReversible: false, verb: (_mail, refs) => byWay(refs, ways, { act, context }) },
    context,
  )
  const outcomes = new Map(changed.outcomes.map((outcome) => [outcome.ref, outcome]))
  const { inboxId } = onlyInbox(context)
  const results = steps.map(({ ref, plan }): Result => {
    const id = sealMessageId(context.deps.messageIdSigner, inboxId, ref)
    if (plan.kind === 'leave') return { id, status: 'unchanged', code: 'changed_since' }
    if (plan.kind === 'fail') return { id, status: 'failed', fault: plan.fault }
    const outcome = outcomes.get(plan.found.ref)
    if (outcome === undefined) throw new TypeError('a verb that did not answer for a message')
    return outcome.status === 'unchanged'
      ? { id, status: 'unchanged', code: 'changed_since' }
      : resultOf(id, outcome)
  })
  return {
    outcome: outcomeOf(results),
    own: summarise(results, context, results.length === 1),
    items: changed.items,
  }
}

/** One call of the verb for each way. What is thrown is the first one's failure, when nothing was changed. */
async function byWay<Way>(
  refs: readonly MessageRef[],
  ways: ReadonlyMap<MessageRef, Way>,
  {
    act,
    context,
  }: {
    readonly act: (refs: readonly MessageRef[], way: Way) => Promise<readonly ItemOutcome[]>
    readonly context: WriteContext
  },
): Promise<readonly ItemOutcome[]> {
  const outcomes = new Map<MessageRef, ItemOutcome>()
  const patient = { ...context.call, signal: new AbortController().signal }
  for (const [way, some] of Map.groupBy(refs, (ref) => ways.get(ref))) {
    if (way === undefined) throw new TypeError('a message without a way back')
    const { value, fault } =
      outcomes.size === 0
        ? { value: await act(some, way), fault: null }
        : await settle(() => act(some, way), patient)
    for (const [index, ref] of some.entries()) {
      const outcome = value?.[index]
      if (outcome !== undefined) outcomes.set(ref, outcome)
      else if (fault !== null) outcomes.set(ref, { ref, status: 'failed', fault })
    }
  }
  return refs.flatMap((ref) => outcomes.get(ref) ?? [])
}

/** A place of an operation's message; none is nowhere. */
export function refOf(locator: OperationItem['after']): MessageRef {
  return { locator: locator ?? new Uint8Array() }
}
