import {
  leftNothing,
  operationNotFound,
  type Operation,
  type OperationItem,
  type Outcome,
  type Settlement,
} from '@postern/access'
import { isPastNoReturn } from '@postern/core'
import { sql, type CompiledQuery } from 'kysely'
import { cutResult } from './cut-result.ts'
import type { Database } from './database.ts'
import { itemsRow, keepItems } from './operation-items.ts'
import { operationColumns, toOperation, toStage, type OperationRow } from './operation-row.ts'
import { build } from './statements.ts'
import { changeAsTenant, withTenant, type TenantTrx, type TransactionOptions } from './tenant.ts'

/**
 * Writes down how it ended, and what became of its messages. An operation that was taken for abandoned meanwhile keeps
 * what was told of it, except that proof of an effect replaces `unknown`: of a process that is late we believe what it
 * has seen happen, and not that nothing did, for then the call could be made again.
 * @throws operation_not_found.
 */
export async function settleOperation(
  trx: TenantTrx,
  operationId: string,
  settlement: Ending,
  now: Date,
): Promise<Operation> {
  const [row] = (await trx.executeQuery(endOf(trx.tenantId, operationId, settlement, now))).rows
  return row === undefined ? readOperation(trx, operationId) : toOperation(row)
}

/** The same in one go. */
export async function settleAtOnce(
  db: Database,
  { tenantId, operationId }: Pick<Operation, 'tenantId' | 'operationId'>,
  ending: Ending,
  { now, ...options }: { readonly now: Date } & TransactionOptions,
): Promise<void> {
  const rows = await changeAsTenant(db, tenantId, endOf(tenantId, operationId, ending, now), options)
  if (rows.length === 0) await withTenant(db, tenantId, (trx) => readOperation(trx, operationId))
}

interface Ending extends Settlement {
  readonly items?: readonly OperationItem[]
}

function endOf(
  tenantId: string,
  operationId: string,
  { outcome, faultCode, result, items = [] }: Ending,
  now: Date,
): CompiledQuery<OperationRow> {
  return sql<OperationRow>`
    with kept as (
      insert into operation_items as items
             (tenant_id, operation_id, before_locators, after_locators, statuses, marks)
      select ${tenantId}::uuid, ${operationId}, ${itemsRow(items)} where ${items.length > 0}::boolean
      ${keepItems}
    )
    update operations
       set outcome = ${outcome}, fault_code = ${faultCode}, result = ${JSON.stringify(cutResult(result))}::jsonb,
           updated_at = ${now}, lease_until = ${now}
     where operation_id = ${operationId}
       and (outcome is null or (outcome = 'unknown' and not ${leftNothing(outcome)}::boolean))
    returning ${columns}`.compile(build)
}

const columns = sql.join(operationColumns.map((name) => sql.ref(name)))

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
