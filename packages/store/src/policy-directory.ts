import type { PolicyDirectory, PolicySummary } from '@postern/outbox'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { build } from './statements.ts'
import { readAsTenant } from './tenant.ts'

interface Row {
  readonly inbox_id: string
  readonly kinds: readonly string[] | null
  readonly sends_per_day: number | null
  readonly send_approval: boolean
  readonly bulk_review: boolean
  readonly sent: string
}

/** The port of @postern/outbox over a database: one read for all inboxes, in which no address travels. */
export function createPolicyDirectory(db: Database): PolicyDirectory {
  return {
    async list({ tenantId, principalId }, now) {
      const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
      const rows = await readAsTenant(db, tenantId, summaries(principalId, today))
      const byInbox = Map.groupBy(rows, (row) => row.inbox_id)
      return new Map(Array.from(byInbox, ([inboxId, ruled]) => [inboxId, summarise(ruled)]))
    },
  }
}

function summaries(principalId: string, today: Date) {
  return sql<Row>`
    select policy.inbox_id, policy.sends_per_day, policy.send_approval, policy.bulk_review,
           case when policy.recipient_rules is null then null
                when policy.recipient_rules = '[]' then array['nobody']
                else array(select case when rule -> 'entries' = '[]' then 'nobody' else rule ->> 'kind' end
                             from jsonb_array_elements(policy.recipient_rules) rule) end as kinds,
           (select count(*) from operations operation
             where operation.principal_id = ${principalId} and operation.inbox_id = policy.inbox_id
               and operation.counted_at >= ${today}
               and (operation.outcome is null or operation.outcome not in ('not_sent', 'failed'))) as sent
      from send_policies policy
     where policy.principal_id is null or policy.principal_id = ${principalId}`.compile(build)
}

function summarise(rows: readonly Row[]): PolicySummary {
  const caps = rows.flatMap((row) => (row.sends_per_day === null ? [] : [row.sends_per_day]))
  const sendsPerDay = caps.length === 0 ? null : Math.min(...caps)
  const sent = Number(rows[0]?.sent ?? 0)
  return {
    sendApproval: rows.some((row) => row.send_approval),
    bulkReview: rows.some((row) => row.bulk_review),
    recipientRules: [...new Set(rows.flatMap(({ kinds }) => kinds ?? []))].filter(
      (kind) => kind !== 'anyone',
    ),
    sendsPerDay,
    sendsLeftToday: sendsPerDay === null ? null : Math.max(0, sendsPerDay - sent),
  }
}
