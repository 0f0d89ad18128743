import { Fault, quote } from '@postern/core'
import { listTenants, type Database, type TenantRecord } from '@postern/store'

const pageSize = 1_000

/** Every tenant, in order of id. */
export async function allTenants(database: Database): Promise<readonly TenantRecord[]> {
  const tenants: TenantRecord[] = []
  for (;;) {
    const last = tenants.at(-1)?.tenantId
    const page = await listTenants(database, {
      limit: pageSize,
      ...(last === undefined ? {} : { after: last }),
    })
    tenants.push(...page)
    if (page.length < pageSize) return tenants
  }
}

/**
 * The tenant that `--tenant` names by id or name, or the only one there is.
 * @throws missing_argument when none is named and there is not exactly one; invalid_arguments for an unknown one.
 */
export async function resolveTenant(database: Database, named: string | undefined): Promise<TenantRecord> {
  const tenants = await allTenants(database)
  const [first] = tenants
  if (first === undefined) {
    throw new Fault('missing_argument', {
      public: 'There is no tenant yet. Make one first: postern tenant create "Your name". Nothing was done.',
      details: { reason: 'no_tenant' },
    })
  }
  if (named !== undefined) return findNamed(tenants, named)
  if (tenants.length === 1) return first
  throw new Fault('missing_argument', {
    public: `There are ${tenants.length} tenants; say which one with --tenant. postern tenant list shows them.`,
    details: { argument: 'tenant' },
  })
}

function findNamed(tenants: readonly TenantRecord[], named: string): TenantRecord {
  const byId = tenants.find(({ tenantId }) => tenantId === named.toLowerCase())
  const byName = tenants.filter(({ name }) => name.toLowerCase() === named.toLowerCase())
  const found = byId ?? byName[0]
  if (found === undefined || (byId === undefined && byName.length > 1)) {
    throw new Fault('invalid_arguments', {
      public: `${found === undefined ? 'No tenant is' : 'More than one tenant is'} called ${quote(named)}. postern tenant list shows their ids.`,
      details: { argument: 'tenant' },
    })
  }
  return found
}
