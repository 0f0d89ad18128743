import type { ApprovalRecord, ApprovalRequest } from '@postern/access'
import { Fault, newId } from '@postern/core'
import type { KeyRing, SealContext } from '@postern/vault'
import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely'
import type { Approvals, DB } from './schema.ts'
import { openPieces, sealPieces } from './sealed-pieces.ts'
import type { TenantTrx } from './tenant.ts'

const columns = [
  'tenant_id',
  'approval_id',
  'operation_id',
  'inbox_id',
  'principal_id',
  'kind',
  'status',
  'digest',
  'held_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'reason',
  'closed_at',
] as const

/** Stores it sealed. @returns its id, `ap_` and 20 characters. */
export async function addApproval(
  trx: TenantTrx,
  keyRing: KeyRing,
  { operation, inboxId, kind, sha256, held, heldAt, expiresAt }: ApprovalRequest,
): Promise<string> {
  const approvalId = newId('ap')
  await trx
    .insertInto('approvals')
    .values({
      tenant_id: trx.tenantId,
      approval_id: approvalId,
      operation_id: operation.operationId,
      inbox_id: inboxId,
      principal_id: operation.principalId,
      kind,
      digest: Buffer.from(sha256, 'hex'),
      held_at: heldAt,
      expires_at: expiresAt,
    })
    .execute()
  const context = contextOf(trx, inboxId, approvalId)
  for (const [position, envelope] of sealPieces(keyRing, held, context).entries()) {
    await trx
      .insertInto('approval_pieces')
      .values({ tenant_id: trx.tenantId, approval_id: approvalId, position, envelope })
      .execute()
  }
  return approvalId
}

function contextOf({ tenantId }: TenantTrx, inboxId: string, approvalId: string): SealContext {
  return { tenantId, inboxId, purpose: `approval:${approvalId}` }
}

/** The call that asked for it waits for it still. */
function isAskedFor(where: ExpressionBuilder<DB, 'approvals'>): Expression<SqlBool> {
  return where.exists(
    where
      .selectFrom('operations')
      .select('operations.operation_id')
      .whereRef('operations.operation_id', '=', 'approvals.operation_id')
      .where('operations.outcome', '=', 'pending_approval'),
  )
}

/** What waits to be decided, the oldest first, at most 1,000. One whose write was given up meanwhile waits for nobody. */
export async function listPendingApprovals(trx: TenantTrx, now: Date): Promise<readonly ApprovalRecord[]> {
  const rows = await trx
    .selectFrom('approvals')
    .select(columns)
    .where('status', '=', 'pending')
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .where(isAskedFor)
    .orderBy('held_at')
    .limit(1_000)
    .execute()
  return rows.map((row) => toApproval(row, now))
}

/** @throws invalid_arguments for an id that the tenant has not. */
export async function getApproval(trx: TenantTrx, approvalId: string, now: Date): Promise<ApprovalRecord> {
  const row = await trx
    .selectFrom('approvals')
    .select(columns)
    .where('approval_id', '=', approvalId)
    .executeTakeFirst()
  if (row === undefined) throw approvalNotFound()
  return toApproval(row, now)
}

/** What became of the approval that a write waited for; null where it waited for none. The newest, if there were several. */
export async function findApprovalOf(
  trx: TenantTrx,
  operationId: string,
  now: Date,
): Promise<ApprovalRecord | null> {
  const row = await trx
    .selectFrom('approvals')
    .select(columns)
    .where('operation_id', '=', operationId)
    .orderBy('held_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toApproval(row, now)
}

/** What is held. @throws invalid_arguments when it is gone, internal_error when it does not open. */
export async function openHeld(
  trx: TenantTrx,
  keyRing: KeyRing,
  { approvalId, inboxId }: ApprovalRecord,
): Promise<Uint8Array> {
  const rows = await trx
    .selectFrom('approval_pieces')
    .select('envelope')
    .where('approval_id', '=', approvalId)
    .orderBy('position')
    .execute()
  if (rows.length === 0) throw approvalNotFound()
  const envelopes = rows.map(({ envelope }) => envelope)
  return openPieces(keyRing, envelopes, contextOf(trx, inboxId, approvalId))
}

export interface Decision {
  readonly verdict: 'approved' | 'rejected'
  readonly decidedBy: string
  readonly reason: string | null
  /** Of what was shown to whoever decides. */
  readonly sha256: string
}

/** Writes down what somebody decided. @throws invalid_arguments when it is not pending any more, or is another one. */
export async function decideApproval(
  trx: TenantTrx,
  approvalId: string,
  { verdict, decidedBy, reason, sha256 }: Decision,
  now: Date,
): Promise<ApprovalRecord> {
  const row = await trx
    .updateTable('approvals')
    .set({ status: verdict, decided_at: now, decided_by: decidedBy, reason })
    .where('approval_id', '=', approvalId)
    .where('status', '=', 'pending')
    .where('closed_at', 'is', null)
    .where('expires_at', '>', now)
    .where('digest', '=', Buffer.from(sha256, 'hex'))
    .where(isAskedFor)
    .returning(columns)
    .executeTakeFirst()
  if (row !== undefined) return toApproval(row, now)
  const { status } = await getApproval(trx, approvalId, now)
  throw new Fault('invalid_arguments', {
    public:
      status === 'pending'
        ? 'What is held is not what was shown, or the call that asked for it was given up. Nothing was changed.'
        : `This approval is ${status} already. Nothing was changed.`,
    details: { argument: 'approval_id', status },
  })
}

/** Ends it, and removes what was held. */
export async function closeApproval(trx: TenantTrx, approvalId: string, now: Date): Promise<void> {
  await trx.deleteFrom('approval_pieces').where('approval_id', '=', approvalId).execute()
  await trx
    .updateTable('approvals')
    .set({ closed_at: now })
    .where('approval_id', '=', approvalId)
    .where('closed_at', 'is', null)
    .execute()
}

function toApproval(row: Pick<Selectable<Approvals>, (typeof columns)[number]>, now: Date): ApprovalRecord {
  return {
    tenantId: row.tenant_id,
    approvalId: row.approval_id,
    operationId: row.operation_id,
    inboxId: row.inbox_id,
    principalId: row.principal_id,
    kind: row.kind === 'bulk' ? 'bulk' : 'send',
    status: statusOf(row.status, row.expires_at, now),
    sha256: Buffer.from(row.digest).toString('hex'),
    heldAt: row.held_at,
    expiresAt: row.expires_at,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    reason: row.reason,
    isClosed: row.closed_at !== null,
  }
}

/** A status that this release does not know approves nothing. */
function statusOf(text: string, expiresAt: Date, now: Date): ApprovalRecord['status'] {
  if (text === 'approved') return 'approved'
  if (text !== 'pending') return 'rejected'
  return expiresAt <= now ? 'expired' : 'pending'
}

function approvalNotFound(): Fault {
  return new Fault('invalid_arguments', {
    public: 'There is no such approval, or what it held is gone. Nothing was done; list the approvals.',
    details: { argument: 'approval_id' },
  })
}
