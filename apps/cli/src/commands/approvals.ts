import type { ApprovalRecord, InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import {
  decideApproval,
  getApproval,
  getTenant,
  listInboxes,
  listPendingApprovals,
  openHeld,
  withTenant,
} from '@postern/store'
import type { Command } from 'commander'
import { ask } from '../ask.ts'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { facts, table } from '../layout.ts'
import { minute } from '../minute.ts'
import { resolveTenant } from '../resolve-tenant.ts'
import type { Run } from '../run.ts'
import { showHeld, type HeldView } from '../show-held.ts'
import { withStore, type OpenStore } from '../with-store.ts'

interface TenantOption {
  readonly tenant?: string
}

interface RejectOptions extends TenantOption {
  readonly reason?: string
}

export function defineApprovals(approvals: Command, run: Run): void {
  approvals
    .command('list')
    .description('list what waits, the oldest first')
    .option('--tenant <id or name>', 'whose')
    .action((options: TenantOption) => run((context) => listAll(context, options)))
  approvals
    .command('show')
    .description('show all of a message that waits, or what a change of many messages would do')
    .argument('<approval id>')
    .option('--tenant <id or name>', 'whose')
    .action((id: string, options: TenantOption) => run((context) => show(context, id, options)))
  approvals
    .command('approve')
    .description('let it go ahead, at a terminal, after typing its code')
    .argument('<approval id>')
    .option('--tenant <id or name>', 'whose')
    .action((id: string, options: TenantOption) =>
      run((context) => decide(context, id, { ...options, verdict: 'approved' })),
    )
  approvals
    .command('reject')
    .description('see to it that it never happens, at a terminal, after typing its code')
    .argument('<approval id>')
    .option('--reason <text>', 'what the agent is told')
    .option('--tenant <id or name>', 'whose')
    .action((id: string, options: RejectOptions) =>
      run((context) => decide(context, id, { ...options, verdict: 'rejected' })),
    )
}

async function listAll(context: CommandContext, { tenant }: TenantOption): Promise<Answer> {
  return open(context, tenant, async ({ database }, tenantId) => {
    const { pending, inboxes } = await withTenant(database, tenantId, async (trx) => ({
      pending: await listPendingApprovals(trx, context.now()),
      inboxes: await listInboxes(trx),
    }))
    const rows = pending.map((approval) => [
      approval.approvalId,
      approval.kind,
      addressOf(approval, inboxes),
      approval.principalId,
      minute(approval.heldAt),
      minute(approval.expiresAt),
    ])
    const text =
      pending.length === 0
        ? 'Nothing waits for approval.\n'
        : table(['APPROVAL ID', 'KIND', 'INBOX', 'KEY', 'SINCE', 'UNTIL'], rows)
    return { json: { approvals: pending.map(toJson) }, text }
  })
}

async function show(context: CommandContext, id: string, { tenant }: TenantOption): Promise<Answer> {
  return open(context, tenant, async (store, tenantId) => {
    const seen = await see(context, store, { tenantId, id })
    return { json: { ...toJson(seen.approval), ...seen.view.json }, text: render(seen) }
  })
}

interface Verdict extends RejectOptions {
  readonly verdict: 'approved' | 'rejected'
}

async function decide(context: CommandContext, id: string, options: Verdict): Promise<Answer> {
  requireTerminal(context)
  const { verdict, tenant } = options
  const reason = options.reason?.trim().slice(0, 1_000) || null
  return open(context, tenant, async (store, tenantId) => {
    const seen = await see(context, store, { tenantId, id })
    context.note(render(seen))
    const act = verdict === 'approved' ? seen.view.act : 'reject this'
    const typed = await ask(context, `Type the code to ${act}: `)
    if (typed.toLowerCase() !== codeOf(seen.approval)) {
      throw new Fault('invalid_arguments', {
        public: 'That is not the code of this approval. Nothing was decided.',
        details: { argument: 'code' },
      })
    }
    const { sha256 } = seen.approval
    const decision = { verdict, decidedBy: 'operator', reason, sha256 }
    const approval = await withTenant(store.database, tenantId, (trx) =>
      decideApproval(trx, id, decision, context.now()),
    )
    const text =
      verdict === 'approved'
        ? `Approved. ${whenDone(approval, store)}; operation_get tells the agent what became of it.\n`
        : `Rejected. ${seen.view.refusal}\n`
    return { json: toJson(approval), text }
  })
}

function whenDone({ kind, expiresAt }: ApprovalRecord, { wasRunning }: OpenStore): string {
  if (wasRunning) return kind === 'send' ? 'It goes out within seconds' : 'It is done within seconds'
  return kind === 'send'
    ? 'It goes out when the service runs'
    : `It is done when the service runs, if that is before ${minute(expiresAt)}`
}

/** An agent that runs commands is not somebody who decides. */
function requireTerminal({ isTerminal, isJson }: CommandContext): void {
  if (isTerminal && !isJson) return
  throw new Fault('invalid_arguments', {
    public:
      'An approval is decided by somebody at a terminal, who has seen what is asked for. There is none here. Nothing was decided.',
    details: { reason: 'no_terminal' },
  })
}

async function open<T>(
  context: CommandContext,
  tenant: string | undefined,
  act: (store: OpenStore, tenantId: string) => Promise<T>,
): Promise<T> {
  const { service } = parseCliConfig(context.environment)
  return withStore(service, commandLog(context), async (store) => {
    const { tenantId } = await resolveTenant(store.database, tenant)
    const { plan } = await withTenant(store.database, tenantId, getTenant)
    if (plan !== 'self_hosted') {
      throw new Fault('invalid_arguments', {
        public:
          'This tenant is hosted: what its agents ask for is decided by its own members, in the dashboard. Nothing was done.',
        details: { reason: 'hosted' },
      })
    }
    return act(store, tenantId)
  })
}

interface Seen {
  readonly approval: ApprovalRecord
  readonly inbox: string
  readonly view: HeldView
}

async function see(
  context: CommandContext,
  { database, keyRing }: OpenStore,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<Seen> {
  const { approval, held, inboxes } = await withTenant(database, tenantId, async (trx) => {
    const found = await getApproval(trx, id, context.now())
    if (found.isClosed) throw gone(found)
    return { approval: found, held: await openHeld(trx, keyRing, found), inboxes: await listInboxes(trx) }
  })
  return { approval, inbox: addressOf(approval, inboxes), view: await showHeld(approval, held) }
}

function gone({ status }: ApprovalRecord): Fault {
  return new Fault('invalid_arguments', {
    public: `This approval is ${status} already, and what it held is gone. Nothing was done.`,
    details: { argument: 'approval_id', status },
  })
}

/** Six characters by which what is held is told from everything else. */
function codeOf({ sha256 }: ApprovalRecord): string {
  return sha256.slice(0, 6)
}

function addressOf({ inboxId }: ApprovalRecord, inboxes: readonly InboxRecord[]): string {
  return inboxes.find((inbox) => inbox.inboxId === inboxId)?.emailAddress ?? 'removed'
}

function render({ approval, inbox, view }: Seen): string {
  const head: (readonly [string, string])[] = [
    ['Approval', `${approval.approvalId} (${approval.status})`],
    ['Inbox', inbox],
    ['Key', approval.principalId],
    ['Until', minute(approval.expiresAt)],
    ...view.facts,
    ['Code', codeOf(approval)],
  ]
  return `${facts(head)}\n${view.text}`
}

function toJson(approval: ApprovalRecord): Record<string, unknown> {
  return {
    approval_id: approval.approvalId,
    operation_id: approval.operationId,
    inbox_id: approval.inboxId,
    key_id: approval.principalId,
    kind: approval.kind,
    status: approval.status,
    code: codeOf(approval),
    held_at: approval.heldAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decided_by: approval.decidedBy,
    reason: approval.reason,
  }
}
