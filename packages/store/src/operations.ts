import { operationNotFound, type Operation, type Outcome, type Resolution } from '@postern/access'
import { isOperationId, operationColumns, secondsBefore, toOperation } from './operation-row.ts'
import { endIfAbandoned, readOperation } from './settle-operation.ts'
import type { TenantTrx } from './tenant.ts'

/** How long an operation can be asked about. */
const keptSeconds = 30 * 86_400
/** How long after a look at the mailbox no other is taken. */
const lookSeconds = 30
/** How long a change can be undone. */
const undoSeconds = 24 * 3_600

/**
 * One operation of this caller.
 * @throws operation_not_found, in one wording for unknown, foreign and expired ones.
 */
export async function getOperation(
  trx: TenantTrx,
  principalId: string,
  operationId: string,
  now: Date,
): Promise<Operation> {
  const operation = await findOperation(trx, operationId, now)
  if (operation.principalId !== principalId) throw operationNotFound()
  return operation
}

/** One operation of the tenant, whoever called. @throws operation_not_found as `getOperation`. */
export async function findOperation(trx: TenantTrx, operationId: string, now: Date): Promise<Operation> {
  if (!isOperationId(operationId)) throw operationNotFound()
  const row = await trx
    .selectFrom('operations')
    .select(operationColumns)
    .where('operation_id', '=', operationId)
    .where('created_at', '>', secondsBefore(now, keptSeconds))
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw operationNotFound()
  return endIfAbandoned(trx, row, now)
}

/** Whether it is time to look what became of an unknown operation: true for one caller in 30 s. */
export async function takeLook(trx: TenantTrx, operationId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('operations')
    .set({ checked_at: now })
    .where('operation_id', '=', operationId)
    .where('outcome', '=', 'unknown')
    .where((where) =>
      where.or([where('checked_at', 'is', null), where('checked_at', '<=', secondsBefore(now, lookSeconds))]),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** What a look at the mailbox told of an unknown operation. Others stay as they are. @throws operation_not_found. */
export async function resolveOperation(
  trx: TenantTrx,
  operationId: string,
  { outcome, resolution }: { readonly outcome: Outcome; readonly resolution: Resolution },
): Promise<Operation> {
  const { method, checkedAt, evidence } = resolution
  const row = await trx
    .updateTable('operations')
    .set({
      outcome,
      resolution: JSON.stringify({ method, checked_at: checkedAt.toISOString(), evidence }),
      updated_at: checkedAt,
      resolved_at: outcome === 'unknown' ? null : checkedAt,
    })
    .where('operation_id', '=', operationId)
    .where('outcome', '=', 'unknown')
    .returning(operationColumns)
    .executeTakeFirst()
  return row === undefined ? readOperation(trx, operationId) : toOperation(row)
}

/**
 * Takes the one chance to undo a change of the last 24 hours. False: it is none, or another has undone it or is at it.
 * An undo that left nothing gives the chance back.
 * @param undoneBy operation_id of the undo, of the same tenant.
 */
export async function takeUndo(
  trx: TenantTrx,
  operationId: string,
  { undoneBy, now }: { readonly undoneBy: string; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('operations')
    .set({ undone_at: now, undone_by: undoneBy, updated_at: now })
    .where('operation_id', '=', operationId)
    .where('outcome', 'in', ['done', 'partial'])
    .where('created_at', '>', secondsBefore(now, undoSeconds))
    .where((where) =>
      where.or([
        where('undone_at', 'is', null),
        where.exists(
          where
            .selectFrom('operations as undo')
            .select('undo.operation_id')
            .whereRef('undo.tenant_id', '=', 'operations.tenant_id')
            .whereRef('undo.operation_id', '=', 'operations.undone_by')
            .where('undo.outcome', 'in', ['failed', 'not_sent']),
        ),
      ]),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Removes what nobody can ask about any more, with its messages; how many. */
export async function expireOperations(trx: TenantTrx, now: Date): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('operations')
    .where('created_at', '<=', secondsBefore(now, keptSeconds))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
