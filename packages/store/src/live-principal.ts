import { isScope, type Principal } from '@postern/access'
import { Fault } from '@postern/core'
import type { TenantTrx } from './tenant.ts'
import { getTenant } from './tenants.ts'

/**
 * A key as it may act now, for what is done on its behalf when nobody calls.
 * @throws unauthenticated when it was revoked, has expired or is gone, or the tenant is suspended.
 */
export async function getLivePrincipal(trx: TenantTrx, apiKeyId: string, now: Date): Promise<Principal> {
  const key = await trx
    .selectFrom('api_keys')
    .select(['scopes', 'inbox_ids', 'expires_at', 'revoked_at'])
    .where('api_key_id', '=', apiKeyId)
    .executeTakeFirst()
  const tenant = await getTenant(trx)
  const isAlive =
    key !== undefined &&
    key.revoked_at === null &&
    (key.expires_at === null || key.expires_at > now) &&
    tenant.status === 'active'
  if (!isAlive)
    throw new Fault('unauthenticated', { public: 'The key is revoked, expired or gone. Nothing was done.' })
  return {
    kind: 'api_key',
    principalId: apiKeyId,
    tenantId: trx.tenantId,
    plan: tenant.plan,
    grant: {
      scopes: new Set(key.scopes.filter(isScope)),
      inboxIds: key.inbox_ids,
      expiresAt: key.expires_at,
    },
  }
}
