import { createHash } from 'node:crypto'
import type { Operation } from '@postern/access'
import { sql } from 'kysely'
import type { TenantTrx } from './tenant.ts'

/** Whose sends, from where. */
interface Sender {
  readonly principalId: string
  readonly inboxId: string
}

/**
 * Takes one of the sends that a key has from an inbox: of calls at once exactly as many get one as are left. One that
 * comes to nothing gives its place back; one that had its place, and waited, takes it anew.
 * @returns whether there was one left.
 */
export async function takeSend(
  trx: TenantTrx,
  { operationId, principalId, inboxId }: Operation,
  { since, cap, now }: { readonly since: Date; readonly cap: number; readonly now: Date },
): Promise<boolean> {
  if (inboxId === null) return false
  const sender = { principalId, inboxId }
  await lockSender(trx, sender)
  if ((await countOthers(trx, sender, since, operationId)) >= cap) return false
  await trx
    .updateTable('operations')
    .set({ counted_at: now })
    .where('operation_id', '=', operationId)
    .executeTakeFirstOrThrow()
  return true
}

/** Held to the end of the transaction. */
async function lockSender(trx: TenantTrx, sender: Sender): Promise<void> {
  const id = createHash('sha256').update(
    [trx.tenantId, sender.principalId, sender.inboxId, 'sends'].join('\0'),
  )
  await sql`select pg_advisory_xact_lock(${id.digest().readBigInt64BE()}::bigint)`.execute(trx)
}

/** Sends that were let through since then, but for `operationId`; of those that came to nothing none. */
async function countOthers(
  trx: TenantTrx,
  { principalId, inboxId }: Sender,
  since: Date,
  operationId: string,
): Promise<number> {
  const { count } = await trx
    .selectFrom('operations')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('principal_id', '=', principalId)
    .where('inbox_id', '=', inboxId)
    .where('counted_at', '>=', since)
    .where('operation_id', '<>', operationId)
    .where((where) =>
      where.or([where('outcome', 'is', null), where('outcome', 'not in', ['not_sent', 'failed'])]),
    )
    .executeTakeFirstOrThrow()
  return Number(count)
}
