import { isScope, type Scope } from '@postern/access'
import { Fault, newId } from '@postern/core'
import { sql } from 'kysely'
import type { TenantTrx } from './tenant.ts'

/** A key as its owner sees it: everything but the proof. */
export interface ApiKeyRecord {
  readonly apiKeyId: string
  readonly name: string
  /** The first twelve characters after `pst_live_`, by which an owner recognises it. */
  readonly lookup: string
  readonly scopes: readonly Scope[]
  /** Null is every inbox, also future ones; empty is none. */
  readonly inboxIds: readonly string[] | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** At most some seconds behind. */
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
}

export interface NewApiKey {
  readonly name: string
  readonly lookup: string
  readonly secretHmac: Uint8Array
  readonly pepperKeyId: string
  readonly scopes: readonly Scope[]
  readonly inboxIds: readonly string[] | null
  readonly expiresAt: Date | null
}

const columns = [
  'api_key_id',
  'name',
  'lookup',
  'scopes',
  'inbox_ids',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'created_at',
] as const

/** @throws inbox_not_found when an inbox of the list is not this tenant's. */
export async function addApiKey(trx: TenantTrx, key: NewApiKey): Promise<ApiKeyRecord> {
  const inboxIds = key.inboxIds === null ? null : [...new Set(key.inboxIds.map((id) => id.toLowerCase()))]
  if (inboxIds !== null && inboxIds.length > 0) await requireInboxes(trx, inboxIds)
  const row = await trx
    .insertInto('api_keys')
    .values({
      tenant_id: trx.tenantId,
      api_key_id: newId('key'),
      name: key.name,
      lookup: key.lookup,
      secret_hmac: key.secretHmac,
      pepper_key_id: key.pepperKeyId,
      scopes: [...key.scopes],
      inbox_ids: inboxIds,
      expires_at: key.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toApiKey(row)
}

export interface ApiKeyPage {
  readonly limit: number
  /** Id of the last key of the page before. */
  readonly after?: string
}

/** Keys of the tenant, revoked ones too, in order of id, at most 1,000 a page. */
export async function listApiKeys(trx: TenantTrx, page: ApiKeyPage): Promise<readonly ApiKeyRecord[]> {
  const rows = await trx
    .selectFrom('api_keys')
    .select(columns)
    .where('api_key_id', '>', page.after ?? '')
    .orderBy('api_key_id')
    .limit(Math.min(page.limit, 1_000))
    .execute()
  return rows.map(toApiKey)
}

/**
 * Ends a key; its next call fails. Revoking twice keeps the first time.
 * @throws invalid_arguments when the tenant has no such key.
 */
export async function revokeApiKey(trx: TenantTrx, apiKeyId: string, now: Date): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('api_keys')
    .set((column) => ({ revoked_at: column.fn.coalesce('revoked_at', sql<Date>`${now}`) }))
    .where('api_key_id', '=', apiKeyId)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return
  throw new Fault('invalid_arguments', {
    public: 'There is no key of that id. Nothing was done; list the keys for their ids.',
    details: { argument: 'key_id' },
  })
}

/** Notes when keys were used last; earlier times change nothing. */
export async function touchApiKeys(trx: TenantTrx, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql`
    update api_keys key set last_used_at = greatest(key.last_used_at, used.at)
      from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
     where key.api_key_id = used.id`.execute(trx)
}

async function requireInboxes(trx: TenantTrx, inboxIds: readonly string[]): Promise<void> {
  const { count } = await trx
    .selectFrom('inboxes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('inbox_id', '=', sql<string>`any(${inboxIds}::uuid[])`)
    .executeTakeFirstOrThrow()
  if (Number(count) === inboxIds.length) return
  throw new Fault('inbox_not_found', {
    public: 'An inbox of that list is not connected here. No key was made; list the inboxes for their ids.',
    details: { argument: 'inbox_ids' },
  })
}

function toApiKey(row: {
  api_key_id: string
  name: string
  lookup: string
  scopes: string[]
  inbox_ids: string[] | null
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  created_at: Date
}): ApiKeyRecord {
  return {
    apiKeyId: row.api_key_id,
    name: row.name,
    lookup: row.lookup,
    scopes: row.scopes.filter(isScope),
    inboxIds: row.inbox_ids,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  }
}
