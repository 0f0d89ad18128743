import type { MarkDelta, OperationItem } from '@postern/access'
import { Fault } from '@postern/core'
import type { MarkChange } from '@postern/mail'
import type { Organised } from '../../change-messages.ts'
import type { WriteContext, Written } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { refOf, takeBack, type Step } from './take-back.ts'

/**
 * Takes back the marks that the operation set, of each message those that it did not have before; wherever it lies by
 * now. What was taken back since is left alone and listed.
 * @param takeChance called once everything is known and before anything is changed.
 */
export async function undoMarks(
  items: readonly OperationItem[],
  context: WriteContext,
  takeChance: () => Promise<void>,
): Promise<Written<Organised>> {
  const mail = await context.openForChange(onlyInbox(context))
  const refs = items.map(({ after }) => refOf(after))
  const located = await mail.locateMessages(refs, 'anywhere_to_change', context.call)
  // Equal changes are one object, so that their messages are changed together.
  const ways = new Map<string, MarkChange>()
  const steps = items.map(({ marks }, index): Step<MarkChange> => {
    const ref = refs[index] ?? refOf(null)
    const found = located[index]?.now ?? null
    if (found === null || marks === undefined) return { ref, plan: { kind: 'fail', fault: gone() } }
    const key = JSON.stringify(marks)
    const way = ways.get(key) ?? inverseOf(marks)
    ways.set(key, way)
    return { ref, plan: { kind: 'go', found, way } }
  })
  await takeChance()
  return takeBack(steps, mail, context, (some, way) => mail.setMarks(some, way, context.write))
}

const labelPrefix = 'label:'

function inverseOf({ added, removed }: MarkDelta): MarkChange {
  for (const flag of ['seen', 'flagged'] as const)
    if (added.includes(flag) || removed.includes(flag))
      return { kind: 'flag', flag, isOn: removed.includes(flag) }
  const labels = (names: readonly string[]): string[] =>
    names.filter((name) => name.startsWith(labelPrefix)).map((name) => name.slice(labelPrefix.length))
  return { kind: 'labels', add: labels(removed), remove: labels(added) }
}

function gone(): Fault {
  return new Fault('message_not_found', {
    public: 'The messages are not in the mailbox any more. Nothing was changed.',
  })
}
