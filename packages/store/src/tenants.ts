import type { Plan } from '@postern/access'
import { Fault } from '@postern/core'
import { toPlan } from './to-plan.ts'
import type { TenantTrx } from './tenant.ts'

export interface TenantRecord {
  readonly tenantId: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly plan: Plan
  readonly createdAt: Date
}

const columns = ['tenant_id', 'name', 'status', 'plan', 'created_at'] as const

/** Adds the tenant of this transaction, whose id the caller has just made: `withTenant(db, newUuid(), ...)`. */
export async function addTenant(trx: TenantTrx, tenant: { name: string; plan: Plan }): Promise<TenantRecord> {
  const row = await trx
    .insertInto('tenants')
    .values({ tenant_id: trx.tenantId, name: tenant.name, plan: tenant.plan })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toTenant(row)
}

/** The tenant of this transaction. @throws invalid_arguments when there is none of that id. */
export async function getTenant(trx: TenantTrx): Promise<TenantRecord> {
  const row = await trx
    .selectFrom('tenants')
    .select(columns)
    .where('tenant_id', '=', trx.tenantId)
    .executeTakeFirst()
  if (row === undefined) throw noSuchTenant()
  return toTenant(row)
}

/** A suspended tenant's keys are refused from the next call on. @throws invalid_arguments when there is none. */
export async function setTenantStatus(trx: TenantTrx, status: TenantRecord['status']): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('tenants')
    .set({ status })
    .where('tenant_id', '=', trx.tenantId)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw noSuchTenant()
}

export function toTenant(row: {
  tenant_id: string
  name: string
  status: string
  plan: string
  created_at: Date
}): TenantRecord {
  return {
    tenantId: row.tenant_id,
    name: row.name,
    status: row.status === 'active' ? 'active' : 'suspended',
    plan: toPlan(row.plan),
    createdAt: row.created_at,
  }
}

function noSuchTenant(): Fault {
  return new Fault('invalid_arguments', { public: 'There is no tenant of that id. Nothing was done.' })
}
