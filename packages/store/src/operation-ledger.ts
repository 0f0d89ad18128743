import type { Claim, Operation, OperationLedger, OperationNotes, OperationRequest } from '@postern/access'
import { isPastNoReturn, type Clock } from '@postern/core'
import type { KeyRing } from '@postern/vault'
import { claimOperation, claimWithoutKey } from './claim-operation.ts'
import type { Database } from './database.ts'
import { listOperationItems, saveOperationItems } from './operation-items.ts'
import { enterStageAtOnce, renewLeases, resumeOperation, type Lease, type Moment } from './operation-lease.ts'
import { findOperation, getOperation, resolveOperation, takeLook, takeUndo } from './operations.ts'
import { settleAtOnce } from './settle-operation.ts'
import { withTenant, type TenantTrx } from './tenant.ts'

export interface OperationLedgerOptions {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly clock: Clock
  readonly lease: Lease
}

/** The ledger of one process. Until it is closed it renews the leases of what runs. */
export interface ProcessLedger extends OperationLedger {
  /** Renews no more: what still runs has until its lease is over. */
  close(): void
}

// 20 s of 90: four beats may fail before a lease is over.
const beatsPerLease = 4.5
/** Work that has entered no step for so long hangs: its lease may end, so that no operation runs for ever. */
const maxQuietMs = 10 * 60_000

/** The port of @postern/access over a database, on behalf of one process. */
export function createOperationLedger(options: OperationLedgerOptions): ProcessLedger {
  const { db, clock, lease } = options
  const moment = (): Moment => ({ lease, now: clock.now() })
  const heart = startHeart(options)
  const unwritten = new Map<string, OperationNotes>()
  type Owned = Pick<Operation, 'tenantId'>
  const on = <T>({ tenantId }: Owned, act: (trx: TenantTrx) => Promise<T>): Promise<T> =>
    withTenant(db, tenantId, act)
  return {
    async claim(request) {
      const claim = await claimAtOnce(options, request, moment())
      if (claim.kind === 'claimed') heart.keep(claim.operation)
      return claim
    },
    note({ operationId }, added) {
      unwritten.set(operationId, { ...unwritten.get(operationId), ...added })
    },
    async enter(operation, stage) {
      const { operationId } = operation
      const isPast = isPastNoReturn(stage)
      // Before it there is nothing that anybody would have to look for.
      const notes = isPast ? unwritten.get(operationId) : undefined
      if (isPast) unwritten.delete(operationId)
      // What is written before the point of no return is on disk by the time that this is: one wait for each write.
      const isDurable = isPast && !heart.isPast(operation)
      try {
        await enterStageAtOnce(db, operation, stage, { ...moment(), notes, isDurable })
      } catch (error) {
        heart.drop(operation)
        if (notes !== undefined) unwritten.set(operationId, { ...notes, ...unwritten.get(operationId) })
        throw error
      }
      heart.keep(operation, isPast)
    },
    async settle(operation, settlement, items) {
      // Also when it cannot be written down: then the lease has to end for anybody to learn that nobody knows.
      heart.drop(operation)
      unwritten.delete(operation.operationId)
      // Lost with the power of the machine, it is `unknown`, which is true.
      await settleAtOnce(db, operation, { ...settlement, items }, { now: clock.now(), isDurable: false })
    },
    get: (principal, operationId) =>
      on(principal, (trx) => getOperation(trx, principal.principalId, operationId, clock.now())),
    find: (principal, operationId) => on(principal, (trx) => findOperation(trx, operationId, clock.now())),
    listItems: (operation) => on(operation, (trx) => listOperationItems(trx, operation.operationId)),
    takeLook: (operation) => on(operation, (trx) => takeLook(trx, operation.operationId, clock.now())),
    resolve: (operation, outcome, resolution, items) =>
      on(operation, async (trx) => {
        await saveOperationItems(trx, operation.operationId, items)
        return resolveOperation(trx, operation.operationId, { outcome, resolution })
      }),
    takeUndo: (operation, { operationId: undoneBy }) =>
      on(operation, (trx) => takeUndo(trx, operation.operationId, { undoneBy, now: clock.now() })),
    async resume(operation) {
      const resumed = await on(operation, (trx) => resumeOperation(trx, operation.operationId, moment()))
      if (resumed !== null) heart.keep(resumed)
      return resumed
    },
    close: () => heart.stop(),
  }
}

/** Calls of one key wait for each other, the others for nothing. */
async function claimAtOnce(
  { db, keyRing }: OperationLedgerOptions,
  request: OperationRequest,
  moment: Moment,
): Promise<Claim> {
  if (request.idempotencyKey === null) return claimWithoutKey(db, keyRing, request, moment)
  const claim = (trx: TenantTrx): Promise<Claim> => claimOperation(trx, keyRing, request, moment)
  return withTenant(db, request.tenantId, claim, { isDurable: false })
}

interface Heart {
  /** Renews its lease from now on, as long as something is heard of it. */
  keep(operation: Operation, isPast?: boolean): void
  /** Whether this process has taken it over the point of no return. */
  isPast(operation: Operation): boolean
  drop(operation: Operation): void
  stop(): void
}

interface Kept {
  readonly tenantId: string
  /** Milliseconds, by a clock that nobody sets. */
  readonly heardAt: number
  readonly isPast: boolean
}

/** Beats only while something runs, and holds no process open. */
function startHeart({ db, clock, lease }: OperationLedgerOptions): Heart {
  const running = new Map<string, Kept>()
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  let isBeating = false

  const rest = (): void => {
    if (timer !== null) clearInterval(timer)
    timer = null
  }
  const beat = async (): Promise<void> => {
    const oldest = performance.now() - maxQuietMs
    for (const [operationId, { heardAt }] of running) if (heardAt < oldest) running.delete(operationId)
    if (running.size === 0) rest()
    for (const [tenantId, kept] of Map.groupBy(running, ([, { tenantId: id }]) => id)) {
      const ids = kept.map(([operationId]) => operationId)
      const renewed = withTenant(db, tenantId, (trx) => renewLeases(trx, ids, { lease, now: clock.now() }))
      // The next beat tries again, and a lease that is lost shows at the next step.
      await renewed.catch(() => undefined)
    }
  }
  const onBeat = (): void => {
    if (isBeating) return
    isBeating = true
    void beat().finally(() => {
      isBeating = false
    })
  }
  return {
    keep({ operationId, tenantId }, isPast = false) {
      if (isStopped) return
      const wasPast = running.get(operationId)?.isPast ?? false
      running.set(operationId, { tenantId, heardAt: performance.now(), isPast: isPast || wasPast })
      timer ??= setInterval(onBeat, (lease.seconds * 1_000) / beatsPerLease).unref()
    },
    isPast: ({ operationId }) => running.get(operationId)?.isPast ?? false,
    drop({ operationId }) {
      running.delete(operationId)
    },
    stop() {
      isStopped = true
      running.clear()
      rest()
    },
  }
}
