import { createHash } from 'node:crypto'
import { leftNothing, type Claim, type OperationRequest } from '@postern/access'
import { newId } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import { sql, type CompiledQuery } from 'kysely'
import type { Database } from './database.ts'
import type { Moment } from './operation-lease.ts'
import { operationColumns, secondsBefore, toOperation, type OperationRow } from './operation-row.ts'
import { endIfAbandoned } from './settle-operation.ts'
import { build } from './statements.ts'
import { changeAsTenant, type TenantTrx } from './tenant.ts'

/** How long a key stands for its first call, and how long an equal call without a key is called a twin of it. */
const keySeconds = 24 * 3_600
const twinSeconds = 10 * 60

/**
 * Claims the right to act, or says what became of the same call before. Claims of one key come one after the other:
 * of any number at once exactly one is `claimed`.
 */
export async function claimOperation(
  trx: TenantTrx,
  keyRing: KeyRing,
  request: OperationRequest,
  moment: Moment,
): Promise<Claim> {
  const marks = marksOf(keyRing, request)
  const insert = insertion(trx.tenantId, request, marks, moment)
  if (request.idempotencyKey === null) return claimed((await trx.executeQuery(insert)).rows)
  const { now } = moment
  await lockKey(trx, request, request.idempotencyKey)
  const earlier = await findEarlier(trx, request, marks, now)
  if (earlier !== null) {
    const isCurrent = earlier.created_at > secondsBefore(now, keySeconds)
    if (isCurrent && !marks.some(({ digest }) => digest.equals(earlier.digest_hmac)))
      return { kind: 'conflict' }
    const operation = await endIfAbandoned(trx, earlier, now)
    if (operation.outcome === null) return { kind: 'in_progress', operation }
    if (isCurrent && !leftNothing(operation.outcome)) return { kind: 'replay', operation }
  }
  return claimed((await trx.executeQuery(insert)).rows)
}

/** The same for a call without a key, which waits for no other: in one go. */
export async function claimWithoutKey(
  db: Database,
  keyRing: KeyRing,
  request: OperationRequest,
  moment: Moment,
): Promise<Claim> {
  const { tenantId } = request
  const insert = insertion(tenantId, request, marksOf(keyRing, request), moment)
  return claimed(await changeAsTenant(db, tenantId, insert, { isDurable: false }))
}

/** HMACs of the key and of the arguments under one key of the ring. */
interface Marks {
  readonly keyId: string
  readonly key: Buffer | null
  readonly digest: Buffer
}

/** Under every key of the ring, the current one first: what was claimed before a rotation is still found. */
function marksOf(keyRing: KeyRing, { idempotencyKey, digest }: OperationRequest): readonly Marks[] {
  const mac = (keyId: string, data: Uint8Array): Buffer => {
    const made = keyRing.hmac('idempotency', keyId, data)
    if (made === null) throw new RangeError(`the ring names a key that it lacks: ${keyId}`)
    return Buffer.from(made)
  }
  const ids = [keyRing.currentKeyId, ...keyRing.keyIds.filter((id) => id !== keyRing.currentKeyId)]
  return ids.map((keyId) => ({
    keyId,
    key: idempotencyKey === null ? null : mac(keyId, Buffer.from(`key:${idempotencyKey}`)),
    digest: mac(keyId, Buffer.concat([Buffer.from('digest:'), digest])),
  }))
}

/** Held to the end of the transaction. Of the caller's key itself, so that it is one lock whatever ring a process has. */
async function lockKey(trx: TenantTrx, request: OperationRequest, key: string): Promise<void> {
  const name = [request.tenantId, request.principalId, request.operation, key].join('\0')
  const id = createHash('sha256').update(name).digest().readBigInt64BE()
  await sql`select pg_advisory_xact_lock(${id}::bigint)`.execute(trx)
}

/** The newest call of this key, if it is of the last 24 hours or nobody has said yet how it ended. */
async function findEarlier(
  trx: TenantTrx,
  { principalId, operation }: OperationRequest,
  marks: readonly Marks[],
  now: Date,
): Promise<(OperationRow & { readonly digest_hmac: Buffer }) | null> {
  const keys = marks.flatMap(({ key }) => (key === null ? [] : [key]))
  const row = await trx
    .selectFrom('operations')
    .select([...operationColumns, 'digest_hmac'])
    .where('principal_id', '=', principalId)
    .where('operation', '=', operation)
    .where('key_hmac', '=', sql<Buffer>`any(${keys}::bytea[])`)
    .where((where) =>
      where.or([where('created_at', '>', secondsBefore(now, keySeconds)), where('outcome', 'is', null)]),
    )
    .orderBy('created_at', 'desc')
    // Of one moment: what may have acted stands for the key, and not what left nothing before it.
    .orderBy(sql`coalesce(outcome in ('not_sent', 'failed'), false)`)
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return row ?? null
}

/**
 * Writes the row, and looks for a twin of it where there is no key: an equal call of the same caller in the last ten
 * minutes that may have acted.
 */
function insertion(
  tenantId: string,
  request: OperationRequest,
  marks: readonly Marks[],
  { lease, now }: Moment,
): CompiledQuery<InsertedRow> {
  const [mark] = marks
  if (mark === undefined) throw new RangeError('a ring without keys')
  const { principalId, operation, inboxId, idempotencyKey } = request
  const digests = idempotencyKey === null ? marks.map(({ digest }) => digest) : []
  return sql<InsertedRow>`
    with twin as (
      select operation_id from operations
       where principal_id = ${principalId} and operation = ${operation}
         and digest_hmac = any(${digests}::bytea[]) and created_at > ${secondsBefore(now, twinSeconds)}
         and (outcome is null or outcome not in ('not_sent', 'failed'))
       order by created_at desc
       limit 1
    )
    insert into operations (tenant_id, operation_id, principal_id, operation, inbox_id, key_hmac, digest_hmac,
                            hmac_key_id, lease_owner, lease_until, created_at, updated_at)
    values (${tenantId}, ${newId('op')}, ${principalId}, ${operation}, ${inboxId}, ${mark.key}, ${mark.digest},
            ${mark.keyId}, ${lease.owner}, ${secondsBefore(now, -lease.seconds)}, ${now}, ${now})
    returning ${columns}, (select operation_id from twin) as twin_id`.compile(build)
}

const columns = sql.join(operationColumns.map((name) => sql.ref(name)))

type InsertedRow = OperationRow & { readonly twin_id: string | null }

function claimed([row]: readonly InsertedRow[]): Claim {
  if (row === undefined) throw new TypeError('a row that was inserted is not returned')
  return { kind: 'claimed', operation: toOperation(row), twinId: row.twin_id }
}
