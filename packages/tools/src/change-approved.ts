import { requireScopes, type ApprovedWork, type CarriedOut, type Json } from '@postern/access'
import { Fault, type Log } from '@postern/core'
import { makeBoundary, sealMessageId, type Call } from '@postern/mail'
import { changeOf, nameOf } from './bulk-act.ts'
import { searchAndDelete } from './catalog/email-delete/search-and-delete.ts'
import { organiseNamed } from './catalog/email-organize/organise.ts'
import { searchAndMove } from './catalog/email-search-and-move.ts'
import type { ToolDeps } from './context.ts'
import type { WriteContext } from './define-tool.ts'
import { unpackHeldBulk } from './held-bulk.ts'

/**
 * Does what was approved to the messages that were frozen and to no others; one that has moved since is found again,
 * one that is gone fails alone. Scopes are those of now. The rules of an inbox ask for a review of such a change, which
 * it has had, and forbid none.
 * @throws approval_expired, insufficient_scope, internal_error when it is not what was approved; what the mailbox says.
 * Then nothing was changed.
 */
export async function changeApproved(deps: ToolDeps, work: ApprovedWork, log: Log): Promise<CarriedOut> {
  const { approval, operation, principal, inbox, held } = work
  if (approval.expiresAt <= deps.clock.now()) throw tooLate()
  const { act, refs } = unpackHeldBulk(held, approval.sha256)
  const { scopes, seconds } = act.kind === 'move' ? searchAndMove : searchAndDelete
  requireScopes(principal, scopes, operation.operation)
  const call: Call = {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + seconds * 1_000),
    log,
  }
  const context = await contextOf(deps, work, call)
  const named = refs.map((ref) => ({
    id: sealMessageId(deps.messageIdSigner, inbox.inboxId, ref),
    value: ref,
    fault: null,
  }))
  const { outcome, own, items } = await organiseNamed(named, context, changeOf(act, context))
  const result = { ...nameOf(act), ...own } as Readonly<Record<string, Json>>
  return { settlement: { outcome, faultCode: null, result }, items }
}

/** As of the call that asked for it, without anybody to tell. */
async function contextOf(
  deps: ToolDeps,
  { operation, principal, inbox }: ApprovedWork,
  call: Call,
): Promise<WriteContext> {
  return {
    deps,
    principal,
    operation: operation.operation,
    inboxes: [inbox],
    reachable: await deps.inboxes.listInboxes(principal),
    skippedInboxes: 0,
    call,
    progress: null,
    now: deps.clock.now(),
    nonce: makeBoundary(),
    openMail: (record) => deps.openInbox(record),
    notes: [],
    note: () => undefined,
    attach: () => undefined,
    claimed: operation,
    idempotencyKey: null,
    write: { ...call, enter: (stage) => deps.ledger.enter(operation, stage) },
    openForChange: (record) => deps.openInbox(record),
  }
}

/** It may have been decided in time, and found nobody at work until now. */
function tooLate(): Fault {
  return new Fault('approval_expired', {
    public: 'It was approved, but not carried out within its 15 minutes. Nothing was changed.',
  })
}
