import { holdsScopes, requireScopes, type OperationItem } from '@postern/access'
import { Fault } from '@postern/core'
import type { FolderId } from '@postern/mail'
import type { Organised } from '../../change-messages.ts'
import type { ChangeMail, WriteContext, Written } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { refOf, takeBack, type Step } from './take-back.ts'

/**
 * Brings messages back to the folders that they came from. One that is no longer where the operation took it was
 * changed since: it is left alone and listed.
 * @param takeChance called once everything is known and before anything is changed.
 */
export async function undoMoves(
  items: readonly OperationItem[],
  context: WriteContext,
  takeChance: () => Promise<void>,
): Promise<Written<Organised>> {
  const mail = await context.openForChange(onlyInbox(context))
  const steps = await planMoves(items, mail, context)
  await requireDiscarding(steps, mail, context)
  await takeChance()
  const mayDiscard = holdsScopes(context.principal, [['delete:email']])
  return takeBack(steps, mail, context, (refs, folderId) =>
    mail.moveMessages(refs, { folderId, mayDiscard }, context.write),
  )
}

async function planMoves(
  items: readonly OperationItem[],
  mail: ChangeMail,
  { call }: WriteContext,
): Promise<readonly Step<FolderId>[]> {
  const refs = items.map(({ after }) => refOf(after))
  const origins = items.map(({ before }) => refOf(before))
  const now = await mail.locateMessages(refs, 'address', call)
  const came = await mail.locateMessages(origins, 'address', call)
  return refs.map((ref, index): Step<FolderId> => {
    const [found, way] = [now[index]?.now ?? null, came[index]?.homeId ?? null]
    if (found === null) return { ref, plan: { kind: 'leave' } }
    return { ref, plan: way === null ? { kind: 'fail', fault: originGone() } : { kind: 'go', found, way } }
  })
}

/** What lies in Trash or Spam is brought back by who may put it there. @throws insufficient_scope. */
async function requireDiscarding(
  steps: readonly Step<FolderId>[],
  mail: ChangeMail,
  { principal, call, operation }: WriteContext,
): Promise<void> {
  const places = new Set(steps.map(({ plan }) => (plan.kind === 'go' ? plan.found.folderId : null)))
  const isDiscarded = (await mail.listFolders('known', call)).some(
    ({ folderId, role }) => (role === 'trash' || role === 'spam') && places.has(folderId),
  )
  if (isDiscarded) requireScopes(principal, [['delete:email']], operation)
}

function originGone(): Fault {
  return new Fault('folder_not_found', {
    public:
      'The folder that the messages came from is no more, so they stay where they are. email_organize move takes them elsewhere.',
    details: { argument: 'operation_id' },
  })
}
