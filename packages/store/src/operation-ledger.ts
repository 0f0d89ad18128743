import type { OperationLedger } from '@postern/access'
import type { Clock } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import type { Database } from './database.ts'
import {
  claimOperation,
  enterStage,
  getOperation,
  saveOperationItems,
  settleOperation,
  type Lease,
} from './operations.ts'
import { withTenant } from './tenant.ts'

export interface OperationLedgerOptions {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly lease: Lease
}

/** The port of @postern/access over a database, on behalf of one process. */
export function createOperationLedger({
  db,
  keyRing,
  clock,
  lease,
}: OperationLedgerOptions): OperationLedger {
  const now = (): { readonly lease: Lease; readonly now: Date } => ({ lease, now: clock.now() })
  return {
    claim: (request) =>
      withTenant(db, request.tenantId, (trx) => claimOperation(trx, keyRing, request, now())),
    enter: ({ tenantId, operationId }, stage) =>
      withTenant(db, tenantId, (trx) => enterStage(trx, operationId, stage, now())),
    settle: ({ tenantId, operationId }, settlement, items) =>
      withTenant(db, tenantId, async (trx) => {
        await saveOperationItems(trx, operationId, items)
        await settleOperation(trx, operationId, settlement, clock.now())
      }),
    get: ({ tenantId, principalId }, operationId) =>
      withTenant(db, tenantId, (trx) => getOperation(trx, principalId, operationId, clock.now())),
  }
}
