import {
  leftNothing,
  operationNotFound,
  type Operation,
  type Outcome,
  type Settlement,
} from '@postern/access'
import { isPastNoReturn } from '@postern/core'
import { cutResult } from './cut-result.ts'
import { operationColumns, toOperation, toStage, type OperationRow } from './operation-row.ts'
import type { TenantTrx } from './tenant.ts'

/**
 * Writes down how it ended. An operation that was taken for abandoned meanwhile keeps what was told of it, except that
 * proof of an effect replaces `unknown`: of a process that is late we believe what it has seen happen, and not that
 * nothing did, for then the call could be made again.
 * @throws operation_not_found.
 */
export async function settleOperation(
  trx: TenantTrx,
  operationId: string,
  settlement: Settlement,
  now: Date,
): Promise<Operation> {
  const { outcome, faultCode, result } = settlement
  const row = await trx
    .updateTable('operations')
    .set({
      outcome,
      fault_code: faultCode,
      result: JSON.stringify(cutResult(result)),
      updated_at: now,
      lease_until: now,
    })
    .where('operation_id', '=', operationId)
    .where((where) =>
      leftNothing(outcome)
        ? where('outcome', 'is', null)
        : where.or([where('outcome', 'is', null), where('outcome', '=', 'unknown')]),
    )
    .returning(operationColumns)
    .executeTakeFirst()
  if (row !== undefined) return toOperation(row)
  return readOperation(trx, operationId)
}

/** Notes what a write that runs is about; it is replaced when it is settled, and stays where it never is. */
export async function noteAbout(
  trx: TenantTrx,
  operationId: string,
  about: Settlement['result'],
): Promise<void> {
  await trx
    .updateTable('operations')
    .set({ result: JSON.stringify(cutResult(about)) })
    .where('operation_id', '=', operationId)
    .where('outcome', 'is', null)
    .execute()
}

/** As it stands. @throws operation_not_found. */
export async function readOperation(trx: TenantTrx, operationId: string): Promise<Operation> {
  const row = await trx
    .selectFrom('operations')
    .select(operationColumns)
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
  if (row === undefined) throw operationNotFound()
  return toOperation(row)
}

/**
 * A run whose lease is over has ended: without a trace before the point of no return, behind it nobody can say. The
 * row must be locked by this transaction.
 */
export async function endIfAbandoned(trx: TenantTrx, row: OperationRow, now: Date): Promise<Operation> {
  if (row.outcome !== null || row.lease_until > now) return toOperation(row)
  const mayHaveActed = isPastNoReturn(toStage(row.stage))
  const { result: about } = toOperation(row)
  const settlement: Settlement = mayHaveActed
    ? { outcome: 'unknown', faultCode: null, result: about ?? {} }
    : { outcome: leftBehind(row.operation), faultCode: 'internal_error', result: {} }
  return settleOperation(trx, row.operation_id, settlement, now)
}

/** What nothing came of is told of a send in the words of sends. */
function leftBehind(operation: string): Outcome {
  return operation === 'draft.send' || operation.startsWith('email_compose.') ? 'not_sent' : 'failed'
}
