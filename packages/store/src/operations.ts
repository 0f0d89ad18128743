import { createHash } from 'node:crypto'
import {
  leftNothing,
  outcomes,
  type Claim,
  type Json,
  type Operation,
  type OperationItem,
  type OperationRequest,
  type Outcome,
  type Resolution,
  type Settlement,
} from '@postern/access'
import { Fault, isPastNoReturn, newId, writeStages, type WriteStage } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import { sql, type Selectable } from 'kysely'
import { cutResult } from './cut-result.ts'
import type { Operations } from './schema.ts'
import type { TenantTrx } from './tenant.ts'

/** How long a key stands for its first call, and how long an equal call without a key is called a twin of it. */
const keyHours = 24
const twinMinutes = 10
/** How long an operation can be asked about. */
const keptDays = 30

/** Whose work it is, and how long it is believed to be at it without a word. */
export interface Lease {
  /** The process, not the call: a process that starts again ends what its predecessor left. */
  readonly owner: string
  readonly seconds: number
}

const columns = [
  'operation_id',
  'tenant_id',
  'principal_id',
  'operation',
  'inbox_id',
  'outcome',
  'fault_code',
  'stage',
  'lease_until',
  'result',
  'rfc_message_id',
  'created_at',
  'updated_at',
  'resolved_at',
  'resolution',
  'undone_at',
] as const

type OperationRow = Pick<Selectable<Operations>, (typeof columns)[number]>

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
    if (!marks.some(({ digest }) => digest.equals(earlier.digest_hmac))) return { kind: 'conflict' }
    const settled = await endIfAbandoned(trx, earlier, now)
    if (settled.outcome === null) return { kind: 'in_progress', operation: settled }
    if (!leftNothing(settled.outcome)) return { kind: 'replay', operation: settled }
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

/** Held to the end of the transaction. Of the key's digest, so that it is one lock whatever ring a process has. */
async function lockKey(trx: TenantTrx, request: OperationRequest, key: string): Promise<void> {
  const name = [request.tenantId, request.principalId, request.operation, key].join('\0')
  const id = createHash('sha256').update(name).digest().readBigInt64BE()
  await sql`select pg_advisory_xact_lock(${id}::bigint)`.execute(trx)
}

async function findEarlier(
  trx: TenantTrx,
  { principalId, operation }: OperationRequest,
  marks: readonly Marks[],
  now: Date,
): Promise<(OperationRow & { readonly digest_hmac: Buffer }) | null> {
  const keys = marks.flatMap(({ key }) => (key === null ? [] : [key]))
  const row = await trx
    .selectFrom('operations')
    .select([...columns, 'digest_hmac'])
    .where('principal_id', '=', principalId)
    .where('operation', '=', operation)
    .where('key_hmac', 'in', keys)
    .where('created_at', '>', before(now, keyHours * 3_600))
    .orderBy('created_at', 'desc')
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
  const row = await trx
    .selectFrom('operations')
    .select('operation_id')
    .where('principal_id', '=', principalId)
    .where('operation', '=', operation)
    .where(
      'digest_hmac',
      'in',
      marks.map(({ digest }) => digest),
    )
    .where('created_at', '>', before(now, twinMinutes * 60))
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
      lease_until: before(now, -lease.seconds),
      created_at: now,
      updated_at: now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return toOperation(row)
}

/** A run whose lease is over has ended: without a trace before the point of no return, behind it nobody can say. */
async function endIfAbandoned(trx: TenantTrx, row: OperationRow, now: Date): Promise<Operation> {
  if (row.outcome !== null || row.lease_until > now) return toOperation(row)
  const isOver = isPastNoReturn(toStage(row.stage))
  return settle(trx, row.operation_id, {
    settlement: {
      outcome: isOver ? 'unknown' : leftBehind(row.operation),
      faultCode: isOver ? null : 'internal_error',
      result: {},
    },
    now,
  })
}

/** What nothing came of is told of a send in the words of sends. */
function leftBehind(operation: string): Outcome {
  return operation === 'draft.send' || operation.startsWith('email_compose.') ? 'not_sent' : 'failed'
}

/**
 * Notes the next step before it begins, and extends the lease.
 * @throws operation_in_progress when the operation is no longer this process's: nothing of the step may be done.
 */
export async function enterStage(
  trx: TenantTrx,
  operationId: string,
  stage: WriteStage,
  { lease, now }: { readonly lease: Lease; readonly now: Date },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('operations')
    .set({ stage, lease_until: before(now, -lease.seconds), updated_at: now })
    .where('operation_id', '=', operationId)
    .where('lease_owner', '=', lease.owner)
    .where('outcome', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw leaseLost(operationId, stage)
}

/** Sets the Message-ID of what is about to be sent. @throws operation_in_progress as `enterStage`. */
export async function setRfcMessageId(
  trx: TenantTrx,
  operationId: string,
  rfcMessageId: string,
  { lease, now }: { readonly lease: Lease; readonly now: Date },
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('operations')
    .set({ rfc_message_id: rfcMessageId, updated_at: now })
    .where('operation_id', '=', operationId)
    .where('lease_owner', '=', lease.owner)
    .where('outcome', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw leaseLost(operationId, 'compose')
}

/** Extends the leases of a process's running operations of one tenant. */
export async function renewLeases(
  trx: TenantTrx,
  operationIds: readonly string[],
  { lease, now }: { readonly lease: Lease; readonly now: Date },
): Promise<void> {
  if (operationIds.length === 0) return
  await trx
    .updateTable('operations')
    .set({ lease_until: before(now, -lease.seconds) })
    .where('operation_id', 'in', operationIds)
    .where('lease_owner', '=', lease.owner)
    .where('outcome', 'is', null)
    .execute()
}

/**
 * Writes down how it ended. An operation that was taken for abandoned meanwhile keeps what was told of it, but the
 * truth behind an `unknown` replaces it.
 */
export async function settleOperation(
  trx: TenantTrx,
  operationId: string,
  settlement: Settlement,
  now: Date,
): Promise<Operation> {
  return settle(trx, operationId, { settlement, now })
}

async function settle(
  trx: TenantTrx,
  operationId: string,
  { settlement, now }: { readonly settlement: Settlement; readonly now: Date },
): Promise<Operation> {
  const row = await trx
    .updateTable('operations')
    .set({
      outcome: settlement.outcome,
      fault_code: settlement.faultCode,
      result: JSON.stringify(cutResult(settlement.result)),
      updated_at: now,
      lease_until: now,
    })
    .where('operation_id', '=', operationId)
    .where((where) => where.or([where('outcome', 'is', null), where('outcome', '=', 'unknown')]))
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? findById(trx, operationId) : toOperation(row)
}

/**
 * One operation of this caller.
 * @throws operation_not_found, in one wording for unknown, foreign and expired ones.
 */
export async function getOperation(
  trx: TenantTrx,
  principalId: string,
  operationId: string,
  now: Date,
): Promise<Operation> {
  const row = await trx
    .selectFrom('operations')
    .select(columns)
    .where('operation_id', '=', operationId)
    .where('principal_id', '=', principalId)
    .where('created_at', '>', before(now, keptDays * 86_400))
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw operationNotFound()
  return endIfAbandoned(trx, row, now)
}

async function findById(trx: TenantTrx, operationId: string): Promise<Operation> {
  const row = await trx
    .selectFrom('operations')
    .select(columns)
    .where('operation_id', '=', operationId)
    .executeTakeFirst()
  if (row === undefined) throw operationNotFound()
  return toOperation(row)
}

/** What a look at the mailbox told of an unknown operation. Others stay as they are. */
export async function resolveOperation(
  trx: TenantTrx,
  operationId: string,
  { outcome, resolution }: { readonly outcome: Outcome; readonly resolution: Resolution },
): Promise<Operation> {
  const { method, checkedAt, evidence } = resolution
  const row = await trx
    .updateTable('operations')
    .set({
      outcome,
      resolution: JSON.stringify({ method, checked_at: checkedAt.toISOString(), evidence }),
      updated_at: checkedAt,
      resolved_at: outcome === 'unknown' ? null : checkedAt,
    })
    .where('operation_id', '=', operationId)
    .where('outcome', '=', 'unknown')
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? findById(trx, operationId) : toOperation(row)
}

/** Takes the one chance to undo an operation. False: somebody has taken it. */
export async function markUndone(trx: TenantTrx, operationId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('operations')
    .set({ undone_at: now, updated_at: now })
    .where('operation_id', '=', operationId)
    .where('undone_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Notes where each message of a write was and is, in order; again for the same positions replaces what is known of them. */
export async function saveOperationItems(
  trx: TenantTrx,
  operationId: string,
  items: readonly OperationItem[],
): Promise<void> {
  if (items.length === 0) return
  await trx
    .insertInto('operation_items')
    .values(
      items.map(({ before: was, after, status }, position) => ({
        tenant_id: trx.tenantId,
        operation_id: operationId,
        position,
        before_locator: was,
        after_locator: after,
        status,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'operation_id', 'position']).doUpdateSet((excluded) => ({
        after_locator: excluded.ref('excluded.after_locator'),
        status: excluded.ref('excluded.status'),
      })),
    )
    .execute()
}

export async function listOperationItems(
  trx: TenantTrx,
  operationId: string,
): Promise<readonly OperationItem[]> {
  const rows = await trx
    .selectFrom('operation_items')
    .select(['before_locator', 'after_locator', 'status'])
    .where('operation_id', '=', operationId)
    .orderBy('position')
    .execute()
  return rows.map((row) => ({
    before: row.before_locator,
    after: row.after_locator,
    status: itemStatuses.find((status) => status === row.status) ?? 'unknown',
  }))
}

const itemStatuses = ['done', 'failed', 'unknown', 'unchanged'] as const

/** Removes what nobody can ask about any more; how many. */
export async function expireOperations(trx: TenantTrx, now: Date): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('operations')
    .where('created_at', '<=', before(now, keptDays * 86_400))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

function before(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1_000)
}

function toOperation(row: OperationRow): Operation {
  return {
    operationId: row.operation_id,
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    operation: row.operation,
    inboxId: row.inbox_id,
    // An outcome that this release does not know is one it can say nothing of.
    outcome: row.outcome === null ? null : (outcomes.find((known) => known === row.outcome) ?? 'unknown'),
    faultCode: row.fault_code,
    stage: toStage(row.stage),
    result: row.result as Readonly<Record<string, Json>> | null,
    rfcMessageId: row.rfc_message_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    resolvedAt: row.resolved_at,
    resolution: toResolution(row.resolution),
    undoneAt: row.undone_at,
  }
}

/** A step that this release does not know may have been beyond the point of no return. */
function toStage(text: string): WriteStage {
  return writeStages.find((stage) => stage === text) ?? 'change'
}

function toResolution(value: unknown): Resolution | null {
  if (typeof value !== 'object' || value === null) return null
  const { method, checked_at: checkedAt, evidence } = value as Readonly<Record<string, unknown>>
  return typeof method === 'string' && typeof checkedAt === 'string' && typeof evidence === 'string'
    ? { method, checkedAt: new Date(checkedAt), evidence }
    : null
}

function leaseLost(operationId: string, stage: WriteStage): Fault {
  return new Fault('operation_in_progress', {
    public: 'Another process has taken this operation over; operation_get tells what becomes of it.',
    details: { operation_id: operationId },
    retryAfterSeconds: 5,
    internal: `lease lost before ${stage}`,
  })
}

function operationNotFound(): Fault {
  return new Fault('operation_not_found', {
    public:
      'There is no such operation of this key in the last 30 days. operation_id stands in the answer of the write that it is of.',
  })
}
