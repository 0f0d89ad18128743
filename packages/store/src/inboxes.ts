import { inboxStatuses, type InboxDirectory, type InboxRecord, type InboxStatus } from '@postern/access'
import { Fault } from '@postern/core'
import { sql, type Selectable } from 'kysely'
import type { Database } from './database.ts'
import type { Inboxes } from './schema.ts'
import { build, compileOnce } from './statements.ts'
import { violatedConstraint } from './store-fault.ts'
import { readAsTenant, type TenantTrx } from './tenant.ts'

/** Bounds every list of inboxes, which is read whole with each call. */
export const maxInboxes = 1_000

/** What an owner says of a mailbox when it is connected; the rest has defaults. */
export interface NewInbox {
  readonly inboxId: string
  readonly provider: string
  readonly emailAddress: string
  readonly service?: string | null
  readonly displayName?: string | null
  readonly aliases?: readonly string[]
  readonly status?: InboxStatus
  readonly timezone?: string
  readonly language?: string
  readonly folderRoles?: Readonly<Record<string, string>>
  readonly authservIds?: readonly string[]
}

/** What an owner may change later. What is absent stays. */
export type InboxChange = Partial<
  Pick<
    NewInbox,
    'service' | 'displayName' | 'aliases' | 'timezone' | 'language' | 'folderRoles' | 'authservIds'
  >
>

const columns = [
  'inbox_id',
  'tenant_id',
  'provider',
  'service',
  'email_address',
  'display_name',
  'aliases',
  'status',
  'status_reason',
  'timezone',
  'language',
  'folder_roles',
  'authserv_ids',
  'credential_version',
  'last_sync_at',
  'last_event_at',
  'created_at',
] as const

const reachable = compileOnce(
  build
    .selectFrom('inboxes')
    .select(columns)
    .where(sql<boolean>`(${null}::uuid[] is null or inbox_id = any(${null}::uuid[]))`)
    .orderBy('last_event_at', (order) => order.desc().nullsLast())
    .orderBy('inbox_id')
    .limit(maxInboxes),
)

/** The port of @postern/access over a database: one read under the tenant's policy for each list. */
export function createInboxDirectory(db: Database): InboxDirectory {
  return {
    listInboxes: async ({ tenantId, grant }) => {
      if (grant.inboxIds !== null && grant.inboxIds.length === 0) return []
      const rows = await readAsTenant(db, tenantId, reachable(grant.inboxIds, grant.inboxIds, maxInboxes))
      return rows.map(toInbox)
    },
  }
}

/** Every inbox of the tenant, most recently active first, then by id. */
export async function listInboxes(trx: TenantTrx): Promise<readonly InboxRecord[]> {
  const { rows } = await trx.executeQuery(reachable(null, null, maxInboxes))
  return rows.map(toInbox)
}

/**
 * @throws invalid_arguments when the tenant has that address already (`details.reason` `address_taken`) or as
 * many inboxes as it may.
 */
export async function addInbox(trx: TenantTrx, inbox: NewInbox): Promise<InboxRecord> {
  await requireRoom(trx)
  try {
    const row = await trx
      .insertInto('inboxes')
      .values({
        tenant_id: trx.tenantId,
        inbox_id: inbox.inboxId,
        provider: inbox.provider,
        email_address: inbox.emailAddress,
        status: inbox.status ?? 'connected',
        ...toColumns(inbox),
      })
      .returning(columns)
      .executeTakeFirstOrThrow()
    return toInbox(row)
  } catch (error) {
    if (violatedConstraint(error) !== 'inboxes_by_address') throw error
    throw new Fault('invalid_arguments', {
      public: 'An inbox of that address is connected already. Reconnect it instead; nothing was changed.',
      details: { argument: 'email_address', reason: 'address_taken' },
    })
  }
}

/** @throws inbox_not_found, also for another tenant's. */
export async function getInbox(trx: TenantTrx, inboxId: string): Promise<InboxRecord> {
  const row = await trx
    .selectFrom('inboxes')
    .select(columns)
    .where('inbox_id', '=', inboxId)
    .executeTakeFirst()
  if (row === undefined) throw inboxNotFound()
  return toInbox(row)
}

/** @throws inbox_not_found. */
export async function setInbox(trx: TenantTrx, inboxId: string, change: InboxChange): Promise<InboxRecord> {
  const set = toColumns(change)
  if (Object.keys(set).length === 0) return getInbox(trx, inboxId)
  const row = await trx
    .updateTable('inboxes')
    .set(set)
    .where('inbox_id', '=', inboxId)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw inboxNotFound()
  return toInbox(row)
}

export interface StatusChange {
  readonly status: InboxStatus
  /** Our own words, null for none. */
  readonly reason: string | null
  /** Given: only while this is still the credential in use, so that a late failure of an old one says nothing. */
  readonly credentialVersion?: number
}

/** @returns whether it was changed: false for an inbox that is gone or has another credential by now. */
export async function setInboxStatus(
  trx: TenantTrx,
  inboxId: string,
  { status, reason, credentialVersion }: StatusChange,
): Promise<boolean> {
  let query = trx
    .updateTable('inboxes')
    .set({ status, status_reason: reason })
    .where('inbox_id', '=', inboxId)
  if (credentialVersion !== undefined) query = query.where('credential_version', '=', credentialVersion)
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Removes it with its credential. @throws inbox_not_found. */
export async function removeInbox(trx: TenantTrx, inboxId: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('inboxes')
    .where('inbox_id', '=', inboxId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw inboxNotFound()
}

/** Notes when mailboxes answered last; earlier times change nothing. */
export async function touchInboxes(trx: TenantTrx, events: ReadonlyMap<string, Date>): Promise<void> {
  await sql`
    update inboxes inbox set last_event_at = greatest(inbox.last_event_at, seen.at)
      from unnest(${[...events.keys()]}::uuid[], ${[...events.values()]}::timestamptz[]) as seen (id, at)
     where inbox.inbox_id = seen.id`.execute(trx)
}

/** The one wording for an inbox that is unknown, gone, or another tenant's. */
function inboxNotFound(): Fault {
  return new Fault('inbox_not_found', {
    public: 'There is no such inbox. Nothing was done; inbox_list shows the inboxes that are connected.',
  })
}

async function requireRoom(trx: TenantTrx): Promise<void> {
  const { count } = await trx
    .selectFrom('inboxes')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) < maxInboxes) return
  throw new Fault('invalid_arguments', {
    public: `This tenant has ${String(maxInboxes)} inboxes, which is the most it may have. Nothing was changed.`,
    details: { limit: maxInboxes },
  })
}

function toColumns(change: InboxChange): {
  service?: string | null
  display_name?: string | null
  aliases?: string[]
  timezone?: string
  language?: string
  folder_roles?: string
  authserv_ids?: string[]
} {
  const { service, displayName, aliases, timezone, language, folderRoles, authservIds } = change
  return {
    ...(service === undefined ? {} : { service }),
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(aliases === undefined ? {} : { aliases: aliases.map((alias) => alias.toLowerCase()) }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(language === undefined ? {} : { language }),
    ...(folderRoles === undefined ? {} : { folder_roles: JSON.stringify(folderRoles) }),
    ...(authservIds === undefined ? {} : { authserv_ids: authservIds.map((id) => id.toLowerCase()) }),
  }
}

function toInbox(row: Pick<Selectable<Inboxes>, (typeof columns)[number]>): InboxRecord {
  return {
    inboxId: row.inbox_id,
    tenantId: row.tenant_id,
    provider: row.provider,
    service: row.service,
    emailAddress: row.email_address,
    displayName: row.display_name,
    aliases: row.aliases,
    status: toStatus(row.status),
    statusReason: row.status_reason,
    timezone: row.timezone,
    language: row.language,
    folderRoles: toFolderRoles(row.folder_roles),
    authservIds: row.authserv_ids,
    credentialVersion: row.credential_version,
    lastSyncAt: row.last_sync_at,
    lastEventAt: row.last_event_at,
    createdAt: row.created_at,
  }
}

/** A status that this release does not know is one it must not act on. */
function toStatus(text: string): InboxStatus {
  return inboxStatuses.find((status) => status === text) ?? 'disabled'
}

function toFolderRoles(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
