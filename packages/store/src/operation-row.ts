import { outcomes, type Json, type Operation, type Resolution } from '@postern/access'
import { writeStages, type WriteStage } from '@postern/core'
import type { Selectable } from 'kysely'
import type { Operations } from './schema.ts'

/** What is read of an operation. Never the HMACs, except where a claim compares them. */
export const operationColumns = [
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
  'undone_by',
] as const

export type OperationRow = Pick<Selectable<Operations>, (typeof operationColumns)[number]>

export function toOperation(row: OperationRow): Operation {
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
    undoneBy: row.undone_by,
  }
}

/** A step that this release does not know may have been beyond the point of no return. */
export function toStage(text: string): WriteStage {
  return writeStages.find((stage) => stage === text) ?? 'change'
}

function toResolution(value: unknown): Resolution | null {
  if (typeof value !== 'object' || value === null) return null
  const { method, checked_at: checkedAt, evidence } = value as Readonly<Record<string, unknown>>
  return typeof method === 'string' && typeof checkedAt === 'string' && typeof evidence === 'string'
    ? { method, checkedAt: new Date(checkedAt), evidence }
    : null
}

/** The instant so many seconds before, or after if negative. */
export function secondsBefore(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1_000)
}

const idShape = /^op_[0-9A-Za-z]{1,37}$/

/** Whether a caller's text can be the id of an operation at all: PostgreSQL takes not every text. */
export function isOperationId(text: string): boolean {
  return idShape.test(text)
}
