import { isScope, type Plan, type Scope } from '@postern/access'
import { sql, type CompiledQuery } from 'kysely'
import type { Database } from './database.ts'
import { build, compileOnce, toDriver } from './statements.ts'
import { storeFault } from './store-fault.ts'
import { toTenant, type TenantRecord } from './tenants.ts'
import { toPlan } from './to-plan.ts'

/** What the key check needs before it knows the tenant. */
export interface FoundApiKey {
  readonly tenantId: string
  readonly apiKeyId: string
  readonly secretHmac: Uint8Array
  readonly pepperKeyId: string
  readonly scopes: ReadonlySet<Scope>
  readonly inboxIds: readonly string[] | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly isTenantActive: boolean
  readonly plan: Plan
}

const apiKeyByLookup = compileOnce(
  build
    .selectFrom('api_keys')
    .innerJoin('tenants', 'tenants.tenant_id', 'api_keys.tenant_id')
    .select([
      'api_keys.tenant_id',
      'api_keys.api_key_id',
      'api_keys.secret_hmac',
      'api_keys.pepper_key_id',
      'api_keys.scopes',
      'api_keys.inbox_ids',
      'api_keys.expires_at',
      'api_keys.revoked_at',
      'tenants.status',
      'tenants.plan',
    ])
    .where('api_keys.lookup', '=', ''),
)

/** The key of a lookup, of any tenant, whatever its state; null when there is none. One indexed read, no cache. */
export async function findApiKey(db: Database, lookup: string): Promise<FoundApiKey | null> {
  const [row] = await readAsSystem(db, apiKeyByLookup(lookup))
  if (row === undefined) return null
  return {
    tenantId: row.tenant_id,
    apiKeyId: row.api_key_id,
    secretHmac: row.secret_hmac,
    pepperKeyId: row.pepper_key_id,
    // A scope that this release does not know permits nothing here.
    scopes: new Set(row.scopes.filter(isScope)),
    inboxIds: row.inbox_ids,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    isTenantActive: row.status === 'active',
    plan: toPlan(row.plan),
  }
}

export interface TenantPage {
  readonly limit: number
  /** Id of the last tenant of the page before. */
  readonly after?: string
}

const firstId = '00000000-0000-0000-0000-000000000000'

/** For the operator: tenants in order of id, at most 1,000 a page. */
export async function listTenants(db: Database, page: TenantPage): Promise<readonly TenantRecord[]> {
  const query = build
    .selectFrom('tenants')
    .select(['tenant_id', 'name', 'status', 'plan', 'created_at'])
    .where('tenant_id', '>', page.after ?? firstId)
    .orderBy('tenant_id')
    .limit(Math.min(page.limit, 1_000))
  return (await readAsSystem(db, query.compile())).map(toTenant)
}

const tenantsOfLeases = compileOnce(
  build
    .selectFrom('operations')
    .select('tenant_id')
    .distinct()
    .where('outcome', 'is', null)
    .where(sql<boolean>`starts_with(lease_owner, ${''})`)
    .where('lease_owner', '<>', ''),
)

/** Tenants with running operations of processes whose names begin with `instance`, but for `owner` itself. */
export async function listTenantsOfLeases(
  db: Database,
  instance: string,
  owner: string,
): Promise<readonly string[]> {
  return (await readAsSystem(db, tenantsOfLeases(instance, owner))).map((row) => row.tenant_id)
}

/** Something decided or expired that has not been carried out. */
export interface DueApproval {
  readonly tenantId: string
  readonly approvalId: string
}

const dueApprovals = compileOnce(
  build
    .selectFrom('approvals')
    .select(['tenant_id', 'approval_id'])
    .where('closed_at', 'is', null)
    .where((where) => where.or([where('status', '<>', 'pending'), where('expires_at', '<=', new Date())]))
    .orderBy('expires_at')
    .limit(0),
)

/** Approvals of all tenants that were decided, or whose time is over, and that wait to be carried out. */
export async function listDueApprovals(
  db: Database,
  now: Date,
  limit: number,
): Promise<readonly DueApproval[]> {
  const rows = await readAsSystem(db, dueApprovals('pending', now, limit))
  return rows.map((row) => ({ tenantId: row.tenant_id, approvalId: row.approval_id }))
}

const expiredFiles = compileOnce(
  build
    .selectFrom('sealed_files')
    .select('tenant_id')
    .distinct()
    .where('expires_at', '<=', new Date(0))
    .limit(0),
)
const expiredDownloads = compileOnce(
  build
    .selectFrom('download_links')
    .select('tenant_id')
    .distinct()
    .where('expires_at', '<=', new Date(0))
    .limit(0),
)

/** Tenants with files or links that are over, at most `limit` of each. */
export async function listTenantsOfExpired(
  db: Database,
  now: Date,
  limit: number,
): Promise<readonly string[]> {
  const rows = [
    ...(await readAsSystem(db, expiredFiles(now, limit))),
    ...(await readAsSystem(db, expiredDownloads(now, limit))),
  ]
  return [...new Set(rows.map((row) => row.tenant_id))]
}

async function readAsSystem<R>(db: Database, query: CompiledQuery<R>): Promise<R[]> {
  try {
    const client = await db.system.lanes.pick()
    const { rows } = await client.query<R & Record<string, unknown>>(toDriver(query))
    return rows
  } catch (error) {
    throw storeFault(error)
  }
}
