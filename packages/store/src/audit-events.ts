import type { AuditEvent, AuditLog, Effect } from '@postern/access'
import { isUuid, type Log } from '@postern/core'
import { sql } from 'kysely'
import { createBatcher } from './batcher.ts'
import type { Database } from './database.ts'
import type { TenantTrx } from './tenant.ts'
import { writePerTenant } from './write-per-tenant.ts'

/** Writes events in batches: after a second, or 200 of them. */
export interface AuditWriter extends AuditLog {
  /** Events that could not be written, since this writer was made. */
  readonly lost: number
  flush(): Promise<void>
  /** Writes what is waiting; events added later are lost, and counted. */
  close(): Promise<void>
}

const batchSeconds = 1
const batchRows = 200
// What a process keeps while its database is away: minutes of a busy service, a few megabytes.
const maxWaiting = 10_000

/**
 * An unreachable database is waited for, within a bound; an event that it refuses costs that tenant's share of
 * the batch. Both are counted in `lost` and logged. An event written twice (an answer that got lost) is one row.
 */
export function createAuditWriter(db: Database, log: Log): AuditWriter {
  const own = log.with({ operation: 'store.add_audit_events' })
  let lost = 0
  const onLost = (count: number): void => {
    lost += count
    own.error('audit_events_lost', { count })
  }
  const batcher = createBatcher<AuditEvent>({
    seconds: batchSeconds,
    maxItems: batchRows,
    maxWaiting,
    write: async (events) => {
      const { unreachable, refused } = await writePerTenant(db, own, events, addAuditEvents)
      if (refused.size > 0) onLost(refused.size)
      return unreachable
    },
    onLost,
  })
  return {
    get lost() {
      return lost
    },
    add: (event) => batcher.add(event.eventId, event),
    flush: () => batcher.flush(),
    close: () => batcher.close(),
  }
}

/** Adds events of this transaction's tenant; one that is there already is left as it is. */
export async function addAuditEvents(trx: TenantTrx, events: readonly AuditEvent[]): Promise<void> {
  const column = <T>(pick: (event: AuditEvent) => T): T[] => events.map(pick)
  // Columns as arrays: one statement, prepared once, for any number of rows.
  await sql`
    insert into audit_events (tenant_id, at, event_id, principal_id, inbox_id, request_id, operation, effect,
                              outcome, fault_code, duration_ms)
    select ${trx.tenantId}::uuid, event.*
      from unnest(
        ${column(({ at }) => at)}::timestamptz[], ${column(({ eventId }) => eventId)}::text[],
        ${column(({ principalId }) => short(principalId, 100))}::text[],
        ${column(({ inboxId }) => (inboxId !== null && isUuid(inboxId) ? inboxId : null))}::uuid[],
        ${column(({ requestId }) => short(requestId, 100))}::text[],
        ${column(({ operation }) => short(operation, 100))}::text[],
        ${column(({ effect }) => effect)}::text[], ${column(({ outcome }) => outcome)}::text[],
        ${column(({ faultCode }) => short(faultCode, 60))}::text[],
        ${column(({ durationMs }) => Math.min(Math.max(0, Math.round(durationMs)), maxInteger))}::integer[]
      ) as event
    on conflict do nothing`.execute(trx)
}

export interface AuditPage {
  readonly limit: number
  /** The last event of the page before. */
  readonly after?: Pick<AuditEvent, 'at' | 'eventId'>
}

/** The tenant's events, newest first, at most 1,000 a page. */
export async function listAuditEvents(trx: TenantTrx, page: AuditPage): Promise<readonly AuditEvent[]> {
  let query = trx
    .selectFrom('audit_events')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('event_id', 'desc')
    .limit(Math.min(page.limit, 1_000))
  const { after } = page
  if (after !== undefined) {
    query = query.where((eb) => eb(eb.refTuple('at', 'event_id'), '<', eb.tuple(after.at, after.eventId)))
  }
  const rows = await query.execute()
  return rows.map((row) => ({
    eventId: row.event_id,
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    inboxId: row.inbox_id,
    requestId: row.request_id,
    operation: row.operation,
    effect: toEffect(row.effect),
    outcome: toOutcome(row.outcome),
    faultCode: row.fault_code,
    durationMs: row.duration_ms,
    at: row.at,
  }))
}

const maxInteger = 2_147_483_647

/** Some of these repeat what a caller sent: one hostile name must not cost the batch its row. */
function short<T extends string | null>(text: T, length: number): T | string {
  return text === null ? text : text.replace(/\p{C}/gu, '').slice(0, length)
}

function toEffect(text: string): Effect {
  return text === 'write' || text === 'send' || text === 'destroy' ? text : 'read'
}

function toOutcome(text: string): AuditEvent['outcome'] {
  return text === 'ok' || text === 'denied' ? text : 'failed'
}
