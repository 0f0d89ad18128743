import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import {
  listApiKeys,
  listInboxes,
  listPolicies,
  setPolicy,
  withTenant,
  type Database,
  type PolicyChange,
  type PolicyRecord,
  type TenantTrx,
} from '@postern/store'
import { type Command, Option } from 'commander'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { table } from '../layout.ts'
import { parseRecipientRules, recipientRuleForms, showRule } from '../parse-recipient-rules.ts'
import { resolveInbox } from '../resolve-inbox.ts'
import { resolveTenant } from '../resolve-tenant.ts'
import type { Run } from '../run.ts'
import { withStore } from '../with-store.ts'

interface TenantOption {
  readonly tenant?: string
}

interface SetOptions extends TenantOption {
  readonly key?: string
  readonly recipients: readonly string[]
  readonly sendsPerDay?: string
  readonly approval?: string
  readonly bulkReview?: string
}

export function definePolicy(policy: Command, run: Run): void {
  policy
    .command('show')
    .description('show the rules of an inbox')
    .argument('<inbox>', 'id or address')
    .option('--tenant <id or name>', 'whose')
    .action((named: string, options: TenantOption) => run((context) => show(context, named, options)))
  policy
    .command('set')
    .description('change rules; what is not named stays')
    .argument('<inbox>', 'id or address')
    .option(
      '--key <key id>',
      'for one key; its rules and those of the inbox hold together (default: every key)',
    )
    .addOption(
      new Option(
        '--recipients <rule>',
        `who may be written to, repeatable, every rule must allow: ${recipientRuleForms.join(', ')}; unset removes them`,
      )
        .argParser((value: string, earlier: readonly string[]) => [...earlier, value])
        .default([], 'as they are'),
    )
    .option('--sends-per-day <count>', 'most messages of a key from this inbox in a day of UTC, or unset')
    .option('--approval <on or off>', 'whether each message waits until it is approved')
    .option('--bulk-review <on or off>', 'whether moving and deleting by search waits until it is approved')
    .option('--tenant <id or name>', 'whose')
    .action((named: string, options: SetOptions) => run((context) => change(context, named, options)))
}

async function show(context: CommandContext, named: string, options: TenantOption): Promise<Answer> {
  return within(context, named, options, async () => undefined)
}

async function change(context: CommandContext, named: string, options: SetOptions): Promise<Answer> {
  const wanted = parseChange(options)
  if (Object.keys(wanted).length === 0) {
    throw new Fault('missing_argument', {
      public:
        'Nothing to change is named. Give --recipients, --sends-per-day, --approval or --bulk-review. Nothing was changed.',
    })
  }
  return within(context, named, options, async (trx, { inboxId }) => {
    const principalId = options.key ?? null
    if (principalId !== null) await requireKey(trx, principalId)
    await setPolicy(trx, { inboxId, principalId }, wanted, context.now())
  })
}

async function within(
  context: CommandContext,
  named: string,
  { tenant }: TenantOption,
  act: (trx: TenantTrx, inbox: InboxRecord) => Promise<void>,
): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  return withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, tenant)
    return describe(database, tenantId, named, act)
  })
}

function describe(
  database: Database,
  tenantId: string,
  named: string,
  act: (trx: TenantTrx, inbox: InboxRecord) => Promise<void>,
): Promise<Answer> {
  return withTenant(database, tenantId, async (trx) => {
    const inbox = resolveInbox(await listInboxes(trx), named)
    await act(trx, inbox)
    const records = await listPolicies(trx, inbox.inboxId)
    const text =
      records.length === 0
        ? 'Nothing is ruled: keys that may send write to anyone, without a cap and without approval.\n'
        : table(['KEY', 'RECIPIENTS', 'SENDS A DAY', 'APPROVAL', 'BULK REVIEW'], records.map(rowOf))
    return { json: { inbox_id: inbox.inboxId, policies: records.map(toJson) }, text }
  })
}

async function requireKey(trx: TenantTrx, keyId: string): Promise<void> {
  const keys = await listApiKeys(trx, { limit: 1_000 })
  if (keys.some(({ apiKeyId }) => apiKeyId === keyId)) return
  throw new Fault('invalid_arguments', {
    public: 'There is no key of that id. postern key list shows them. Nothing was changed.',
    details: { argument: 'key' },
  })
}

function parseChange({ recipients, sendsPerDay, approval, bulkReview }: SetOptions): PolicyChange {
  return {
    ...(recipients.length === 0 ? {} : { recipientRules: parseRecipientRules(recipients) }),
    ...(sendsPerDay === undefined ? {} : { sendsPerDay: parseCap(sendsPerDay) }),
    ...(approval === undefined ? {} : { sendApproval: parseSwitch(approval, 'approval') }),
    ...(bulkReview === undefined ? {} : { bulkReview: parseSwitch(bulkReview, 'bulk-review') }),
  }
}

function parseCap(text: string): number | null {
  if (text === 'unset') return null
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new Fault('invalid_arguments', {
    public: '--sends-per-day takes a whole number from 0 to 999999, or unset. Nothing was changed.',
    details: { argument: 'sends_per_day' },
  })
}

function parseSwitch(text: string, option: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new Fault('invalid_arguments', {
    public: `--${option} takes on or off. Nothing was changed.`,
    details: { argument: option },
  })
}

function rowOf(record: PolicyRecord): readonly string[] {
  const { principalId, recipientRules, sendsPerDay, sendApproval, bulkReview } = record
  return [
    principalId ?? 'every key',
    recipientRules === null ? '-' : recipientRules.map(showRule).join(' and ') || 'nobody',
    sendsPerDay === null ? '-' : String(sendsPerDay),
    sendApproval ? 'on' : 'off',
    bulkReview ? 'on' : 'off',
  ]
}

function toJson(record: PolicyRecord): Record<string, unknown> {
  return {
    key_id: record.principalId,
    recipient_rules: record.recipientRules,
    sends_per_day: record.sendsPerDay,
    send_approval: record.sendApproval,
    bulk_review: record.bulkReview,
  }
}
