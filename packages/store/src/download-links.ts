import { isScope, type Principal } from '@postern/access'
import { Fault } from '@postern/core'
import { toPlan } from './to-plan.ts'
import type { TenantTrx } from './tenant.ts'

/** One file of one message, for whoever holds the link. */
export interface DownloadRecord {
  readonly inboxId: string
  readonly messageId: string
  /** Null: the stored message itself. */
  readonly partId: string | null
}

export interface NewDownload extends DownloadRecord {
  /** 16 octets. */
  readonly linkId: Uint8Array
  readonly principalId: string
  readonly uses: number
  readonly expiresAt: Date
}

/** Links of one key that may be open at once. */
const maxOpen = 500

/** @throws rate_limit_exceeded when the key has too many open. */
export async function addDownload(trx: TenantTrx, link: NewDownload, now: Date): Promise<void> {
  const { open } = await trx
    .selectFrom('download_links')
    .select(({ fn }) => fn.countAll<string>().as('open'))
    .where('principal_id', '=', link.principalId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  if (Number(open) >= maxOpen) throw tooMany()
  await trx
    .insertInto('download_links')
    .values({
      tenant_id: trx.tenantId,
      link_id: link.linkId,
      principal_id: link.principalId,
      inbox_id: link.inboxId,
      message_id: link.messageId,
      part_id: link.partId,
      uses_left: link.uses,
      expires_at: link.expiresAt,
    })
    .execute()
}

/** The link with its key as that is now, or null: unknown, used up, over, or of a key or tenant that is no more. */
export async function findDownload(
  trx: TenantTrx,
  linkId: Uint8Array,
  now: Date,
): Promise<{ readonly principal: Principal; readonly file: DownloadRecord } | null> {
  const row = await trx
    .selectFrom('download_links as link')
    .innerJoin('api_keys as key', (join) =>
      join.onRef('key.tenant_id', '=', 'link.tenant_id').onRef('key.api_key_id', '=', 'link.principal_id'),
    )
    .innerJoin('tenants as tenant', 'tenant.tenant_id', 'link.tenant_id')
    .select([
      'link.inbox_id',
      'link.message_id',
      'link.part_id',
      'key.api_key_id',
      'key.scopes',
      'key.inbox_ids',
      'key.expires_at as key_expires_at',
      'tenant.plan',
    ])
    .where('link.link_id', '=', Buffer.from(linkId))
    .where('link.uses_left', '>', 0)
    .where('link.expires_at', '>', now)
    .where('key.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('key.expires_at', 'is', null), eb('key.expires_at', '>', now)]))
    .where('tenant.status', '=', 'active')
    .executeTakeFirst()
  if (row === undefined) return null
  const scopes = new Set(row.scopes.filter(isScope))
  return {
    principal: {
      kind: 'api_key',
      principalId: row.api_key_id,
      tenantId: trx.tenantId,
      plan: toPlan(row.plan),
      grant: { scopes, inboxIds: row.inbox_ids, expiresAt: row.key_expires_at },
    },
    file: { inboxId: row.inbox_id, messageId: row.message_id, partId: row.part_id },
  }
}

/** Takes one use; false when another taker had the last one. */
export async function takeDownload(trx: TenantTrx, linkId: Uint8Array, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('download_links')
    .set((eb) => ({ uses_left: eb('uses_left', '-', 1) }))
    .where('link_id', '=', Buffer.from(linkId))
    .where('uses_left', '>', 0)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes links that are over, at most `limit`. @returns how many. */
export async function purgeDownloads(trx: TenantTrx, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('download_links')
    .where('link_id', 'in', (eb) =>
      eb
        .selectFrom('download_links')
        .select('link_id')
        .where('expires_at', '<=', now)
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

function tooMany(): Fault {
  return new Fault('rate_limit_exceeded', {
    public: `This key has ${String(maxOpen)} download links that are still good. Use those, or wait: each ends ten minutes after it was made. Nothing was changed.`,
    details: { window: 'minute' },
    retryAfterSeconds: 60,
  })
}
