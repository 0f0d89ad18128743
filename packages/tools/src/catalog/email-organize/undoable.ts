import { operationNotFound, requireScopes, type Operation, type OperationItem } from '@postern/access'
import { Fault } from '@postern/core'
import { canBeUndone } from '../../change-messages.ts'
import type { Action, WriteContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'
import { deleteBatch } from '../email-delete/delete-batch.ts'
import { deleteOne } from '../email-delete/delete.ts'
import { searchAndDelete } from '../email-delete/search-and-delete.ts'
import { searchAndMove } from '../email-search-and-move.ts'
import { archive } from './archive.ts'
import { flag } from './flag.ts'
import { label } from './label.ts'
import { moveBatch } from './move-batch.ts'
import { move } from './move.ts'

/** What can be undone, by the name of its operation. */
const undoable: ReadonlyMap<string, Action> = new Map<string, Action>([
  ...[move, moveBatch, archive, flag, label].map(
    (action) => [`email_organize.${action.action}`, action] as const,
  ),
  ...[deleteOne, deleteBatch, searchAndDelete].map(
    (action) => [`email_delete.${action.action}`, action] as const,
  ),
  ['email_search_and_move', searchAndMove],
])

const maxAgeMs = 24 * 3_600_000

/** An operation to undo, with those of its messages for which there is a way back. */
export interface Undoable {
  readonly operation: Operation
  readonly items: readonly OperationItem[]
}

/**
 * Whoever made it: any key that may still do the action may undo it.
 * @throws operation_not_found, also for one of an inbox that the key does not reach; inbox_mismatch, insufficient_scope;
 *   invalid_arguments, saying why it cannot be undone.
 */
export async function requireUndoable(operationId: string, context: WriteContext): Promise<Undoable> {
  const { deps, principal, reachable } = context
  const operation = await deps.ledger.find(principal, operationId)
  const { inboxId } = operation
  if (inboxId === null || !reachable.some((inbox) => inbox.inboxId === inboxId)) throw operationNotFound()
  if (inboxId !== onlyInbox(context).inboxId) {
    throw new Fault('inbox_mismatch', {
      public: `That operation_id belongs to another inbox of this key, inbox_id ${inboxId}. Nothing was done.`,
      details: { argument: 'operation_id', inbox_id: inboxId },
    })
  }
  const action = undoable.get(operation.operation)
  if (action === undefined) throw cannotUndo('irreversible')
  requireScopes(principal, action.scopes, `undo of ${operation.operation}`)
  requireChance(operation, context.now)
  const items = (await deps.ledger.listItems(operation)).filter(canBeUndone)
  if (items.length === 0) throw cannotUndo('irreversible')
  return { operation, items }
}

/** From here on no other undo of the operation is possible, unless this one comes to nothing. @throws invalid_arguments. */
export async function takeChance(operation: Operation, context: WriteContext): Promise<void> {
  const { ledger } = context.deps
  if (await ledger.takeUndo(operation, context.claimed)) return
  requireChance(await ledger.find(context.principal, operation.operationId), context.now)
  throw cannotUndo('already_undone')
}

/** Whether it was undone is told by `takeUndo` alone: one that came to nothing may be tried again. */
function requireChance({ outcome, createdAt }: Operation, now: Date): void {
  if (outcome === null) throw cannotUndo('not_finished')
  if (outcome === 'unknown') throw cannotUndo('unknown')
  if (outcome !== 'done' && outcome !== 'partial') throw cannotUndo('irreversible')
  if (now.getTime() - createdAt.getTime() >= maxAgeMs) throw cannotUndo('too_old')
}

const reasons = {
  irreversible:
    'that operation is none that can be undone. Moves, archiving, flags, labels and deletions into Trash can; copies, permanent deletions and what is sent cannot, nor can what changed no message.',
  too_old: 'it is older than 24 hours, and only the last 24 hours can be undone.',
  already_undone: 'it has been undone already, or is being undone by another call.',
  not_finished: 'it still runs. operation_get tells when it has ended.',
  unknown: 'nobody knows what came of it. operation_get looks.',
} as const

function cannotUndo(reason: keyof typeof reasons): Fault {
  return new Fault('invalid_arguments', {
    public: `operation_id: ${reasons[reason]} Nothing was done.`,
    details: { argument: 'operation_id', reason },
  })
}
