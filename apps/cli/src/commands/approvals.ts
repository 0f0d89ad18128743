import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import { describeHeld, type ApprovalRecord, type HeldDescription } from '@postern/outbox'
import {
  decideApproval,
  getApproval,
  getTenant,
  listInboxes,
  listPendingApprovals,
  openHeldSend,
  withTenant,
} from '@postern/store'
import type { Command } from 'commander'
import { ask } from '../ask.ts'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { facts, printable, table } from '../layout.ts'
import { resolveTenant } from '../resolve-tenant.ts'
import type { Run } from '../run.ts'
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
    .description('show all of a message that waits')
    .argument('<approval id>')
    .option('--tenant <id or name>', 'whose')
    .action((id: string, options: TenantOption) => run((context) => show(context, id, options)))
  approvals
    .command('approve')
    .description('let a message go, at a terminal, after typing its code')
    .argument('<approval id>')
    .option('--tenant <id or name>', 'whose')
    .action((id: string, options: TenantOption) =>
      run((context) => decide(context, id, { ...options, verdict: 'approved' })),
    )
  approvals
    .command('reject')
    .description('see to it that a message is never sent, at a terminal, after typing its code')
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
      addressOf(approval, inboxes),
      approval.principalId,
      minute(approval.heldAt),
      minute(approval.expiresAt),
    ])
    const text =
      pending.length === 0
        ? 'Nothing waits for approval.\n'
        : table(['APPROVAL ID', 'INBOX', 'KEY', 'SINCE', 'UNTIL'], rows)
    return { json: { approvals: pending.map(toJson) }, text }
  })
}

async function show(context: CommandContext, id: string, { tenant }: TenantOption): Promise<Answer> {
  return open(context, tenant, async (store, tenantId) => {
    const seen = await see(context, store, { tenantId, id })
    return { json: { ...toJson(seen.approval), message: messageJson(seen.message) }, text: render(seen) }
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
    const act = verdict === 'approved' ? 'send this message' : 'reject this message'
    const typed = await ask(context, `Type the code of the message to ${act}: `)
    if (typed.toLowerCase() !== codeOf(seen.approval)) {
      throw new Fault('invalid_arguments', {
        public: 'That is not the code of the message. Nothing was decided.',
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
        ? `Approved. ${store.wasRunning ? 'It goes out within seconds' : 'It goes out when the service runs'}; operation_get tells the agent what became of it.\n`
        : 'Rejected. It is not sent.\n'
    return { json: toJson(approval), text }
  })
}

/** An agent that runs commands is not somebody who decides. */
function requireTerminal({ isTerminal, isJson }: CommandContext): void {
  if (isTerminal && !isJson) return
  throw new Fault('invalid_arguments', {
    public:
      'An approval is decided by somebody at a terminal, who has seen the message. There is none here. Nothing was decided.',
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
  readonly message: HeldDescription
}

async function see(
  context: CommandContext,
  { database, keyRing }: OpenStore,
  { tenantId, id }: { readonly tenantId: string; readonly id: string },
): Promise<Seen> {
  const { approval, held, inboxes } = await withTenant(database, tenantId, async (trx) => {
    const found = await getApproval(trx, id, context.now())
    return { approval: found, held: await openHeldSend(trx, keyRing, found), inboxes: await listInboxes(trx) }
  })
  return { approval, inbox: addressOf(approval, inboxes), message: await describeHeld(held) }
}

/** Six characters by which a message is told from every other one. */
function codeOf({ sha256 }: ApprovalRecord): string {
  return sha256.slice(0, 6)
}

function addressOf({ inboxId }: ApprovalRecord, inboxes: readonly InboxRecord[]): string {
  return inboxes.find((inbox) => inbox.inboxId === inboxId)?.emailAddress ?? 'removed'
}

function render({ approval, inbox, message }: Seen): string {
  const { from, replyTo, recipients, subject, text, htmlText, files } = message
  const lines = (addresses: readonly string[]): string => addresses.join(', ')
  const head: (readonly [string, string])[] = [
    ['Approval', `${approval.approvalId} (${approval.status})`],
    ['Inbox', inbox],
    ['Key', approval.principalId],
    ['Until', minute(approval.expiresAt)],
    ['From', from],
    ...(replyTo.length === 0 ? [] : [['Answers to', lines(replyTo)] as const]),
    ['To', lines(recipients.to)],
    ...(recipients.cc.length === 0 ? [] : [['Cc', lines(recipients.cc)] as const]),
    ...(recipients.bcc.length === 0 ? [] : [['Bcc', lines(recipients.bcc)] as const]),
    ['Subject', subject],
    ...files.map(
      ({ filename, mimeType, sizeBytes }) =>
        ['File', `${filename || 'without a name'}, ${mimeType}, ${String(sizeBytes)} bytes`] as const,
    ),
    ['Code', codeOf(approval)],
  ]
  const html = htmlText === null ? '' : `\nIts HTML form reads differently:\n\n${quoted(htmlText)}`
  return `${facts(head)}\n${quoted(text)}${html}`
}

/** Set off from our own lines, so that no text of the message passes for one of them. */
function quoted(text: string): string {
  return printable(text)
    .split('\n')
    .map((line) => `| ${line}`.trimEnd() + '\n')
    .join('')
}

function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}

function toJson(approval: ApprovalRecord): Record<string, unknown> {
  return {
    approval_id: approval.approvalId,
    operation_id: approval.operationId,
    inbox_id: approval.inboxId,
    key_id: approval.principalId,
    status: approval.status,
    code: codeOf(approval),
    held_at: approval.heldAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decided_by: approval.decidedBy,
    reason: approval.reason,
  }
}

function messageJson(message: HeldDescription): Record<string, unknown> {
  const { from, replyTo, recipients, subject, text, htmlText, files } = message
  return {
    from,
    reply_to: replyTo,
    ...recipients,
    subject,
    text,
    html_text: htmlText,
    files: files.map(({ filename, mimeType, sizeBytes }) => ({
      filename,
      mime_type: mimeType,
      size_bytes: sizeBytes,
    })),
  }
}
