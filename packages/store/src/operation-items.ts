import type { MarkDelta, OperationItem } from '@postern/access'
import { sql } from 'kysely'
import type { TenantTrx } from './tenant.ts'

/**
 * Notes where each message of a write was and is, in order. Again for the same positions replaces where it is and what
 * became of it, never where it was or which marks it had.
 */
export async function saveOperationItems(
  trx: TenantTrx,
  operationId: string,
  items: readonly OperationItem[],
): Promise<void> {
  if (items.length === 0) return
  const [befores, afters] = [items.map((item) => item.before), items.map((item) => item.after)]
  const statuses = items.map(({ status }) => status)
  const marks = items.map((item) => (item.marks === undefined ? null : JSON.stringify(item.marks)))
  // One statement for any number: the server keeps a plan for each text.
  await sql`
    insert into operation_items (tenant_id, operation_id, position, before_locator, after_locator, status, marks)
    select ${trx.tenantId}::uuid, ${operationId}::text, position - 1, before_locator, after_locator, status, marks
      from unnest(${befores}::bytea[], ${afters}::bytea[], ${statuses}::text[], ${marks}::jsonb[])
        with ordinality as item (before_locator, after_locator, status, marks, position)
    on conflict (tenant_id, operation_id, position)
      do update set after_locator = excluded.after_locator, status = excluded.status`.execute(trx)
}

export async function listOperationItems(
  trx: TenantTrx,
  operationId: string,
): Promise<readonly OperationItem[]> {
  const rows = await trx
    .selectFrom('operation_items')
    .select(['before_locator', 'after_locator', 'status', 'marks'])
    .where('operation_id', '=', operationId)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    before: row.before_locator,
    after: row.after_locator,
    status: itemStatuses.find((status) => status === row.status) ?? 'unknown',
    ...(row.marks === null ? {} : { marks: toDelta(row.marks) }),
  }))
}

const itemStatuses = ['done', 'failed', 'unknown', 'unchanged'] as const

function toDelta(column: unknown): MarkDelta {
  const { added, removed } = Object(column) as Readonly<Record<string, unknown>>
  const names = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return { added: names(added), removed: names(removed) }
}
