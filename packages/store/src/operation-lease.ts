import { createHash } from 'node:crypto'
import type { Operation, OperationNotes } from '@postern/access'
import {
  Fault,
  furtherStage,
  mayEnter,
  randomBase62,
  toFault,
  writeStages,
  type WriteStage,
} from '@postern/core'
import { sql, type CompiledQuery } from 'kysely'
import { cutResult } from './cut-result.ts'
import type { Database } from './database.ts'
import { itemsRow, keepItems } from './operation-items.ts'
import { operationColumns, secondsBefore, toOperation } from './operation-row.ts'
import { build } from './statements.ts'
import { listTenantsOfLeases } from './system.ts'
import { changeAsTenant, withTenant, type TenantTrx, type TransactionOptions } from './tenant.ts'

/** How long a process is believed to be at work without a word from it. */
export const defaultLeaseSeconds = 90

/** Whose work it is, and how long it is believed to be at it without a word. */
export interface Lease {
  /** The process, not the call (`makeLeaseOwner`). */
  readonly owner: string
  readonly seconds: number
}

export interface Moment {
  readonly lease: Lease
  readonly now: Date
}

/**
 * A name for this process, 37 characters. What one instance of the service is called, such as its data folder or its
 * host and port, is the same at each start; no two processes that run at once may share it.
 */
export function makeLeaseOwner(instance: string): string {
  const digest = createHash('sha256').update(instance).digest('base64url').slice(0, 16)
  return `${digest}.${randomBase62(20)}`
}

/**
 * Notes the next step before it begins, and what has to be known should it never end; extends the lease. A step that is
 * done again leaves the stage at how far the operation had come.
 * @throws operation_in_progress when the operation is no longer this process's, internal_error when the step cannot
 * follow (`mayEnter`); either way nothing of it may be done.
 */
export async function enterStage(
  trx: TenantTrx,
  operationId: string,
  stage: WriteStage,
  moment: StepMoment,
): Promise<void> {
  const { rows } = await trx.executeQuery(stepInto(trx.tenantId, operationId, stage, moment))
  if (rows.length === 0) throw await refusal(trx, operationId, stage, moment.lease)
}

/** The same in one go. */
export async function enterStageAtOnce(
  db: Database,
  { tenantId, operationId }: Pick<Operation, 'tenantId' | 'operationId'>,
  stage: WriteStage,
  moment: StepMoment & TransactionOptions,
): Promise<void> {
  const rows = await changeAsTenant(db, tenantId, stepInto(tenantId, operationId, stage, moment), moment)
  if (rows.length > 0) return
  throw await withTenant(db, tenantId, (trx) => refusal(trx, operationId, stage, moment.lease))
}

interface StepMoment extends Moment {
  readonly notes?: OperationNotes | undefined
}

function stepInto(
  tenantId: string,
  operationId: string,
  stage: WriteStage,
  { lease, now, notes = {} }: StepMoment,
): CompiledQuery<unknown> {
  const before = writeStages.filter((reached) => mayEnter(stage, reached))
  const further = writeStages.filter((reached) => furtherStage(stage, reached) === reached)
  const about = notes.about === undefined ? null : JSON.stringify(cutResult(notes.about))
  const items = notes.items ?? []
  // One statement, whatever was noted: the server keeps a plan for each text.
  return sql`
    with entered as (
      update operations
         set stage = case when stage = any(${further}::text[]) then stage else ${stage} end,
             lease_until = ${secondsBefore(now, -lease.seconds)},
             updated_at = ${now},
             rfc_message_id = coalesce(${notes.rfcMessageId ?? null}, rfc_message_id),
             result = coalesce(${about}::jsonb, result)
       where operation_id = ${operationId} and lease_owner = ${lease.owner} and outcome is null
         and stage = any(${before}::text[])
      returning operation_id
    ), kept as (
      insert into operation_items as items
             (tenant_id, operation_id, before_locators, after_locators, statuses, marks)
      select ${tenantId}::uuid, operation_id, ${itemsRow(items)} from entered where ${items.length > 0}::boolean
      ${keepItems}
    )
    select from entered`.compile(build)
}

/** Extends the leases of a process's running operations of one tenant; those that it lost stay lost. */
export async function renewLeases(
  trx: TenantTrx,
  operationIds: readonly string[],
  { lease, now }: Moment,
): Promise<void> {
  await trx
    .updateTable('operations')
    .set({ lease_until: secondsBefore(now, -lease.seconds) })
    .where('operation_id', '=', sql<string>`any(${operationIds}::text[])`)
    .where('lease_owner', '=', lease.owner)
    .where('outcome', 'is', null)
    .execute()
}

/**
 * Makes what was held or scheduled run again from its start, as this process's. Null when it is neither: then somebody
 * else has gone on with it. To refuse it for good, resume and settle in one transaction.
 */
export async function resumeOperation(
  trx: TenantTrx,
  operationId: string,
  { lease, now }: Moment,
): Promise<Operation | null> {
  const row = await trx
    .updateTable('operations')
    .set({
      outcome: null,
      fault_code: null,
      stage: 'claim',
      lease_owner: lease.owner,
      lease_until: secondsBefore(now, -lease.seconds),
      updated_at: now,
    })
    .where('operation_id', '=', operationId)
    .where('outcome', 'in', ['pending_approval', 'scheduled'])
    .returning(operationColumns)
    .executeTakeFirst()
  return row === undefined ? null : toOperation(row)
}

/**
 * Ends the leases that earlier processes of this instance left behind, of every tenant; how many. One that is alive
 * after all takes its lease back at its next step, unless the call was claimed anew meanwhile.
 * @param owner this process (`makeLeaseOwner`).
 */
export async function endLeasesOfPredecessors(db: Database, owner: string, now: Date): Promise<number> {
  const instance = owner.slice(0, owner.indexOf('.') + 1)
  if (instance === '') throw new RangeError('a lease owner without an instance')
  let ended = 0
  for (const tenantId of await listTenantsOfLeases(db, instance, owner)) {
    ended += await withTenant(db, tenantId, async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('operations')
        .set({ lease_until: now })
        .where('outcome', 'is', null)
        .where('lease_until', '>', now)
        .where(sql<boolean>`starts_with(lease_owner, ${instance})`)
        .where('lease_owner', '<>', owner)
        .executeTakeFirstOrThrow()
      return Number(numUpdatedRows)
    })
  }
  return ended
}

/** Why a step was not entered. */
async function refusal(trx: TenantTrx, operationId: string, stage: WriteStage, lease: Lease): Promise<Fault> {
  const own = await trx
    .selectFrom('operations')
    .select('stage')
    .where('operation_id', '=', operationId)
    .where('lease_owner', '=', lease.owner)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  return own === undefined
    ? leaseLost(operationId, stage)
    : toFault(new Error(`stage ${stage} cannot follow ${own.stage}`))
}

function leaseLost(operationId: string, stage: WriteStage): Fault {
  return new Fault('operation_in_progress', {
    public: 'Another process has taken this operation over; operation_get tells what becomes of it.',
    details: { operation_id: operationId },
    retryAfterSeconds: 5,
    internal: `lease lost before ${stage}`,
  })
}
