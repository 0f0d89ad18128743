import { createHash } from 'node:crypto'
import { leftNothing, type Claim, type Operation, type OperationRequest } from '@postern/access'
import { newId } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import { sql } from 'kysely'
import type { Lease } from './operation-lease.ts'
import { operationColumns, secondsBefore, toOperation, type OperationRow } from './operation-row.ts'
import { endIfAbandoned } from './settle-operation.ts'
import type { TenantTrx } from './tenant.ts'

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
  { lease, now }: { readonly lease: Lease; readonly now: Date },
): Promise<Claim> {
  const marks = marksOf(keyRing, request)
  if (request.idempotencyKey === null) {
    const twinId = await findTwin(trx, request, marks, now)
    return { kind: 'claimed', operation: await insert(trx, request, marks, { lease, now }), twinId }
  }
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
  return { kind: 'claimed', operation: await insert(trx, request, marks, { lease, now }), twinId: null }
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

async function findTwin(
  trx: TenantTrx,
  { principalId, operation }: OperationRequest,
  marks: readonly Marks[],
  now: Date,
): Promise<string | null> {
  const digests = marks.map(({ digest }) => digest)
  const row = await trx
    .selectFrom('operations')
    .select('operation_id')
    .where('principal_id', '=', principalId)
    .where('operation', '=', operation)
    .where('digest_hmac', '=', sql<Buffer>`any(${digests}::bytea[])`)
    .where('created_at', '>', secondsBefore(now, twinSeconds))
    .where((where) =>
      where.or([where('outcome', 'is', null), where('outcome', 'not in', ['not_sent', 'failed'])]),
    )
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.operation_id ?? null
}

async function insert(
  trx: TenantTrx,
  request: OperationRequest,
  [mark]: readonly Marks[],
  { lease, now }: { readonly lease: Lease; readonly now: Date },
): Promise<Operation> {
  if (mark === undefined) throw new RangeError('a ring without keys')
  const row = await trx
    .insertInto('operations')
    .values({
      tenant_id: trx.tenantId,
      operation_id: newId('op'),
      principal_id: request.principalId,
      operation: request.operation,
      inbox_id: request.inboxId,
      key_hmac: mark.key,
      digest_hmac: mark.digest,
      hmac_key_id: mark.keyId,
      lease_owner: lease.owner,
      lease_until: secondsBefore(now, -lease.seconds),
      created_at: now,
      updated_at: now,
    })
    .returning(operationColumns)
    .executeTakeFirstOrThrow()
  return toOperation(row)
}
