import type { MarkDelta, OperationItem } from '@postern/access'
import { sql, type RawBuilder } from 'kysely'
import type { TenantTrx } from './tenant.ts'

/** The messages of a write as one row: their columns side by side, in order. */
export function itemsRow(items: readonly OperationItem[]): RawBuilder<unknown> {
  const marks = items.map((item) => (item.marks === undefined ? null : JSON.stringify(item.marks)))
  return sql`${items.map(({ before }) => before)}::bytea[], ${items.map(({ after }) => after)}::bytea[],
    ${items.map(({ status }) => status)}::text[], ${marks}::jsonb[]`
}

/**
 * Kept again, they replace where each message is and what became of it, never where it was or which marks it had. Of
 * fewer than were kept before the rest stays as it was; more are refused.
 */
export const keepItems = sql`
  on conflict (tenant_id, operation_id) do update set
    after_locators = excluded.after_locators || items.after_locators[cardinality(excluded.after_locators) + 1 :],
    statuses = excluded.statuses || items.statuses[cardinality(excluded.statuses) + 1 :]`

/** Keeps where each message of a write was and is. */
export async function saveOperationItems(
  trx: TenantTrx,
  operationId: string,
  items: readonly OperationItem[],
): Promise<void> {
  if (items.length === 0) return
  await sql`
    insert into operation_items as items (tenant_id, operation_id, before_locators, after_locators, statuses, marks)
    values (${trx.tenantId}, ${operationId}, ${itemsRow(items)}) ${keepItems}`.execute(trx)
}

export async function listOperationItems(
  trx: TenantTrx,
  operationId: string,
): Promise<readonly OperationItem[]> {
  const { rows } = await sql<ItemRow>`
    select item.*
      from operation_items items,
           unnest(items.before_locators, items.after_locators, items.statuses, items.marks)
             with ordinality as item (before_locator, after_locator, status, marks, place)
     where operation_id = ${operationId}
     order by place`.execute(trx)
  return rows.map((row) => ({
    before: row.before_locator,
    after: row.after_locator,
    status: itemStatuses.find((status) => status === row.status) ?? 'unknown',
    ...(row.marks === null ? {} : { marks: toDelta(row.marks) }),
  }))
}

interface ItemRow {
  readonly before_locator: Buffer | null
  readonly after_locator: Buffer | null
  readonly status: string
  readonly marks: unknown
}

const itemStatuses = ['done', 'failed', 'unknown', 'unchanged'] as const

function toDelta(column: unknown): MarkDelta {
  const { added, removed } = Object(column) as Readonly<Record<string, unknown>>
  const names = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return { added: names(added), removed: names(removed) }
}
