import { Fault } from '@postern/core'
import { recipientRulesSchema, type RecipientRule, type SendPolicy } from '@postern/outbox'
import type { TenantTrx } from './tenant.ts'

/** What an owner has ruled for an inbox, or for one key in it. */
export interface PolicyRecord {
  readonly inboxId: string
  /** Null: every key. */
  readonly principalId: string | null
  /** Null: not ruled here. */
  readonly recipientRules: readonly RecipientRule[] | null
  readonly sendsPerDay: number | null
  readonly sendApproval: boolean
  readonly bulkReview: boolean
}

/** What is absent stays. */
export type PolicyChange = Partial<Omit<PolicyRecord, 'inboxId' | 'principalId'>>

const anyone: readonly RecipientRule[] = [{ kind: 'anyone' }]

/** What holds for one key in one inbox: the rules of the inbox and those of the key together, the stricter cap. */
export async function getSendPolicy(
  trx: TenantTrx,
  inboxId: string,
  principalId: string,
): Promise<SendPolicy> {
  const records = (await listPolicies(trx, inboxId)).filter(
    (record) => record.principalId === null || record.principalId === principalId,
  )
  const ruled = records.filter(({ recipientRules }) => recipientRules !== null)
  const caps = records.flatMap(({ sendsPerDay }) => (sendsPerDay === null ? [] : [sendsPerDay]))
  return {
    // A record that rules and has no rule in it denies, whatever another one allows.
    rules:
      ruled.length === 0
        ? anyone
        : ruled.flatMap(({ recipientRules }) =>
            recipientRules === null || recipientRules.length === 0 ? [nobody] : recipientRules,
          ),
    sendsPerDay: caps.length === 0 ? null : Math.min(...caps),
    needsApproval: records.some(({ sendApproval }) => sendApproval),
  }
}

const nobody: RecipientRule = { kind: 'list', entries: [] }

/** Everything that is ruled for an inbox, that for every key first. */
export async function listPolicies(trx: TenantTrx, inboxId: string): Promise<readonly PolicyRecord[]> {
  const rows = await trx
    .selectFrom('send_policies')
    .selectAll()
    .where('inbox_id', '=', inboxId)
    .orderBy('principal_id', (order) => order.nullsFirst())
    .execute()
  return rows.map((row) => ({
    inboxId: row.inbox_id,
    principalId: row.principal_id,
    recipientRules: row.recipient_rules === null ? null : toRules(row.recipient_rules),
    sendsPerDay: row.sends_per_day,
    sendApproval: row.send_approval,
    bulkReview: row.bulk_review,
  }))
}

/** Rules that this release cannot read allow nobody. */
function toRules(value: unknown): readonly RecipientRule[] {
  const parsed = recipientRulesSchema.safeParse(value)
  return parsed.success ? parsed.data : []
}

/** @param principalId null: for every key. @throws inbox_not_found. */
export async function setPolicy(
  trx: TenantTrx,
  { inboxId, principalId }: Pick<PolicyRecord, 'inboxId' | 'principalId'>,
  change: PolicyChange,
  now: Date,
): Promise<void> {
  const { recipientRules, sendsPerDay, sendApproval, bulkReview } = change
  const set = {
    ...(recipientRules === undefined
      ? {}
      : { recipient_rules: recipientRules === null ? null : JSON.stringify(recipientRules) }),
    ...(sendsPerDay === undefined ? {} : { sends_per_day: sendsPerDay }),
    ...(sendApproval === undefined ? {} : { send_approval: sendApproval }),
    ...(bulkReview === undefined ? {} : { bulk_review: bulkReview }),
    updated_at: now,
  }
  await requireInbox(trx, inboxId)
  await trx
    .insertInto('send_policies')
    .values({ tenant_id: trx.tenantId, inbox_id: inboxId, principal_id: principalId, ...set })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'inbox_id', 'principal_id']).doUpdateSet(set))
    .execute()
}

async function requireInbox(trx: TenantTrx, inboxId: string): Promise<void> {
  const row = await trx
    .selectFrom('inboxes')
    .select('inbox_id')
    .where('inbox_id', '=', inboxId)
    .executeTakeFirst()
  if (row === undefined)
    throw new Fault('inbox_not_found', { public: 'There is no such inbox. Nothing was changed.' })
}
