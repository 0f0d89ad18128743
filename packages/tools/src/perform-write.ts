import type { Claim, Json as Plain, Operation, Outcome } from '@postern/access'
import { Fault, isPastNoReturn, remainingMs, type FaultCode, type WriteStage } from '@postern/core'
import type { Call } from '@postern/mail'
import type { Action, ActionContext, Json, WriteContext, Written } from './define-tool.ts'
import { digestArgs } from './digest-args.ts'
import { settle } from './settle.ts'
import { withDetails } from './with-details.ts'

/** Beyond its deadline a write is waited for so much longer: it ends by itself, and its outcome is worth having. */
const graceMs = 5_000

/** An action that writes. */
export type WriteAction = Pick<Action, 'effect'> & { readonly write: NonNullable<Action['write']> }

/** The answer of a write, and whether it is an earlier one's. */
export interface WriteAnswer {
  readonly answer: Json
  readonly isReplay: boolean
}

/**
 * Claims, acts, settles. Nothing acts without its row; a repeated call under a key gets what the first one came to.
 * Once it has begun neither a client that leaves nor a clock ends it half-way.
 * @throws idempotency_conflict, operation_in_progress; what the action throws, which has changed nothing then.
 */
export async function performWrite(
  action: WriteAction,
  input: Json,
  context: ActionContext,
): Promise<WriteAnswer> {
  const { call, deps, operation, principal, inboxes } = context
  call.signal.throwIfAborted()
  const inboxId = inboxes[0]?.inboxId ?? null
  const claim = await deps.ledger.claim({
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    operation,
    inboxId,
    idempotencyKey: keyOf(input),
    digest: digestArgs(input, inboxId),
  })
  if (claim.kind !== 'claimed') return { answer: replayOf(claim), isReplay: true }
  const { operation: claimed, twinId } = claim
  const work = act(action, input, { context, operation: claimed, twinId })
  const patienceMs = remainingMs(new Date(call.deadline.getTime() + graceMs))
  const written = (await waitFor(work, patienceMs)) ?? stillAtWork(context)
  return {
    answer: {
      ...envelopeOf(claimed, written),
      ...twinOf(twinId),
    },
    isReplay: false,
  }
}

/** Also of a failure: what it was to do may be done already, by an equal call a moment ago. */
function twinOf(twinId: string | null): { possible_duplicate_of?: string } {
  return twinId === null ? {} : { possible_duplicate_of: twinId }
}

interface Act {
  readonly context: ActionContext
  readonly operation: Operation
  readonly twinId: string | null
}

function keyOf({ idempotency_key: key }: Json): string | null {
  return typeof key === 'string' ? key : null
}

/** What it came to, or null where that is not known by then. The work goes on, and settles its row itself. */
async function waitFor(work: Promise<Written<Json>>, patienceMs: number): Promise<Written<Json> | null> {
  const { promise, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), patienceMs)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

function stillAtWork({ note }: ActionContext): Written<Json> {
  note(
    'The mail server had not answered when the time of this call ended. operation_get tells what became of it.',
  )
  return { outcome: 'unknown', own: {}, items: [] }
}

async function act(
  { effect, write }: WriteAction,
  input: Json,
  { context, operation, twinId }: Act,
): Promise<Written<Json>> {
  const { deps } = context
  const steps = writeSteps((stage) => deps.ledger.enter(operation, stage))
  const writeContext: WriteContext = {
    ...context,
    claimed: operation,
    idempotencyKey: keyOf(input),
    write: { ...context.call, enter: steps.enter },
    openForChange: (inbox) => deps.openInbox(inbox),
  }
  const ended = await settle(() => write(input, writeContext), patiently(context.call))
  await steps.written()
  if (ended.fault !== null) {
    const outcome = nothingOf(effect)
    await writeDown(context, operation, {
      outcome,
      faultCode: ended.fault.code,
      own: {},
      items: [],
    })
    const { operationId } = operation
    throw withDetails(ended.fault, { changed: false, operation_id: operationId, outcome, ...twinOf(twinId) })
  }
  await writeDown(context, operation, { ...ended.value, faultCode: null })
  return ended.value
}

interface Steps {
  readonly enter: (stage: WriteStage) => Promise<void>
  /** Settles once the last step is written down, or could not be. */
  written(): Promise<void>
}

/**
 * The steps of a write, written down in their order. Those that leave nothing behind are written while the work goes on,
 * and passed over where it goes on faster; the first that may leave something waits for them, and is written itself
 * before it begins.
 */
function writeSteps(enter: (stage: WriteStage) => Promise<void>): Steps {
  let next: WriteStage | null = null
  let writing: Promise<void> | null = null
  const writeBehind = async (): Promise<void> => {
    for (let stage = next; stage !== null; stage = next) {
      next = null
      // A lease that was lost, or a database that is gone, shows at the step that is waited for.
      await enter(stage).catch(() => undefined)
    }
    writing = null
  }
  return {
    enter: async (stage) => {
      if (!isPastNoReturn(stage)) {
        next = stage
        writing ??= writeBehind()
        return
      }
      next = null
      await writing
      await enter(stage)
    },
    written: async () => {
      next = null
      await writing
    },
  }
}

/** The answer is true whether it can be written down or not; left open, the row says `unknown` once its lease is over. */
async function writeDown(
  { call, deps }: ActionContext,
  operation: Operation,
  { outcome, faultCode, own, items }: Written<Json> & { readonly faultCode: FaultCode | null },
): Promise<void> {
  const settlement = { outcome, faultCode, result: own as Record<string, Plain> }
  const { fault } = await settle(() => deps.ledger.settle(operation, settlement, items), patiently(call))
  if (fault !== null)
    call.log.error('operation.unsettled', { fault_code: fault.code, reference: fault.reference })
}

/** What has begun goes on whoever has left. */
function patiently(call: Call): Call {
  return { ...call, signal: new AbortController().signal }
}

/** The outcome of what left nothing behind: sends have a word of their own. */
export function nothingOf(effect: Action['effect']): Outcome {
  return effect === 'send' ? 'not_sent' : 'failed'
}

function envelopeOf({ operationId, inboxId }: Operation, { outcome, own, once }: Written<Json>): Json {
  return {
    outcome,
    operation_id: operationId,
    ...(inboxId === null ? {} : { inbox_id: inboxId }),
    ...(outcome === 'unknown' ? { retry: 'never' } : {}),
    ...own,
    ...once,
  }
}

/** @throws idempotency_conflict, operation_in_progress. */
function replayOf(claim: Exclude<Claim, { kind: 'claimed' }>): Json {
  if (claim.kind === 'conflict') {
    throw new Fault('idempotency_conflict', {
      public:
        'This idempotency_key was used with other arguments in the last 24 hours. Nothing was done; another act needs another key.',
      details: { argument: 'idempotency_key' },
    })
  }
  const { operation } = claim
  if (claim.kind === 'in_progress' || operation.outcome === null) {
    throw new Fault('operation_in_progress', {
      public:
        'The first call with this idempotency_key is still at work. Nothing was done by this one; repeat it in 5 s, or ask operation_get.',
      details: { operation_id: operation.operationId },
      retryAfterSeconds: 5,
    })
  }
  const written = { outcome: operation.outcome, own: operation.result ?? {}, items: [] }
  return { ...envelopeOf(operation, written), idempotent_replay: true }
}
