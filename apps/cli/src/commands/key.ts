import { allScopes, defaultScopes, isScope, type InboxRecord, type Scope } from '@postern/access'
import { Fault, quote } from '@postern/core'
import {
  issueApiKey,
  listApiKeys,
  listInboxes,
  revokeApiKey,
  withTenant,
  type ApiKeyRecord,
  type Database,
} from '@postern/store'
import { type Command, Option } from 'commander'
import { commandLog } from '../command-log.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import { facts, table } from '../layout.ts'
import { parseExpiry } from '../parse-expiry.ts'
import { resolveInbox } from '../resolve-inbox.ts'
import { resolveTenant } from '../resolve-tenant.ts'
import type { Run } from '../run.ts'
import { withStore } from '../with-store.ts'

interface CreateOptions {
  readonly tenant?: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly inbox: readonly string[]
  readonly expires?: string
}

interface TenantOption {
  readonly tenant?: string
}

export function defineKey(key: Command, run: Run): void {
  key
    .command('create')
    .description('make a key; it is shown once')
    .option('--tenant <id or name>', 'whose key; may be left out while there is one tenant')
    .option('--name <name>', 'what to call it in lists', 'command line')
    .addOption(
      new Option('--scopes <a,b>', `what it may do, repeatable: ${allScopes.join(', ')}`)
        .argParser(collect)
        .default([], defaultScopes.join(',')),
    )
    .addOption(
      new Option('--inbox <id or address>', 'an inbox it reaches, repeatable')
        .argParser(collect)
        .default([], 'all, also future ones'),
    )
    .option('--expires <when>', 'a span such as 30d, or a date (default: never)')
    .action((options: CreateOptions) => run((context) => createKey(context, options)))
  key
    .command('list')
    .description('list keys, without what would prove them')
    .option('--tenant <id or name>', 'whose keys')
    .action((options: TenantOption) => run((context) => listKeys(context, options)))
  key
    .command('revoke')
    .description('end a key; its next call fails')
    .argument('<key id>')
    .option('--tenant <id or name>', 'whose key')
    .action((keyId: string, options: TenantOption) => run((context) => revokeKey(context, keyId, options)))
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}

async function createKey(context: CommandContext, options: CreateOptions): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const scopes = options.scopes.length === 0 ? defaultScopes : parseScopes(options.scopes.join(','))
  const expiresAt = options.expires === undefined ? null : parseExpiry(options.expires, context.now())
  const name = options.name.trim()
  if (name === '' || name.length > 200) {
    throw new Fault('invalid_arguments', {
      public: 'The name of a key must have 1 to 200 characters. No key was made.',
    })
  }
  const { record, key, inboxes } = await withStore(service, commandLog(context), async (store) => {
    const { tenantId } = await resolveTenant(store.database, options.tenant)
    const known = await withTenant(store.database, tenantId, listInboxes)
    const reached = options.inbox.map((named) => resolveInbox(known, named))
    const inboxIds = reached.length === 0 ? null : reached.map(({ inboxId }) => inboxId)
    const issued = await issueApiKey(store.database, store.keyRing, tenantId, {
      name,
      scopes,
      inboxIds,
      expiresAt,
    })
    return { ...issued, inboxes: known }
  })
  const text = facts([
    ['Key', key],
    ['Id', record.apiKeyId],
    ['May', record.scopes.join(', ')],
    ['Inboxes', showInboxes(record, inboxes)],
    ['Expires', record.expiresAt?.toISOString() ?? 'never'],
    ['URL', endpointOf(service).href],
  ])
  return {
    json: { ...toJson(record), key },
    text: `${text}\nThe key is shown this once. Whoever has it may do what it may: keep it like a password.\n`,
  }
}

function parseScopes(text: string): readonly Scope[] {
  const names = [
    ...new Set(
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ]
  const unknown = names.filter((name) => !isScope(name))
  if (names.length === 0 || unknown.length > 0) {
    const what =
      unknown.length === 0 ? 'No scope is named' : `There is no scope ${unknown.map(quote).join(', ')}`
    throw new Fault('invalid_arguments', {
      public: `${what}. The scopes are: ${allScopes.join(', ')}. No key was made.`,
      details: { argument: 'scopes' },
    })
  }
  return names.filter(isScope)
}

async function listKeys(context: CommandContext, options: TenantOption): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const { keys, inboxes } = await withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    const known = await withTenant(database, tenantId, listInboxes)
    return { keys: await allKeys(database, tenantId), inboxes: known }
  })
  const now = context.now()
  const rows = keys.map((key) => [
    key.apiKeyId,
    key.name,
    `pst_live_${key.lookup}...`,
    stateOf(key, now),
    showInboxes(key, inboxes),
    key.scopes.join(','),
    key.lastUsedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never',
  ])
  const text =
    keys.length === 0
      ? 'There is no key yet. Make one: postern key create\n'
      : table(['KEY ID', 'NAME', 'BEGINS', 'STATE', 'INBOXES', 'MAY', 'LAST USED'], rows, everyScope)
  return { json: { keys: keys.map(toJson) }, text }
}

/** What a key may do is never cut: the end of the list is where the dangerous scopes stand. */
const everyScope = 400

const pageSize = 1_000

async function allKeys(database: Database, tenantId: string): Promise<readonly ApiKeyRecord[]> {
  const keys: ApiKeyRecord[] = []
  for (;;) {
    const after = keys.at(-1)?.apiKeyId
    const options = { limit: pageSize, ...(after === undefined ? {} : { after }) }
    const page = await withTenant(database, tenantId, (trx) => listApiKeys(trx, options))
    keys.push(...page)
    if (page.length < pageSize) return keys.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
  }
}

async function revokeKey(context: CommandContext, keyId: string, options: TenantOption): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  await withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    await withTenant(database, tenantId, (trx) => revokeApiKey(trx, keyId, context.now()))
  })
  return { json: { key_id: keyId, revoked: true }, text: `Key ${keyId} is revoked: its next call fails.\n` }
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRecord, now: Date): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  return expiresAt <= now ? 'expired' : `until ${expiresAt.toISOString().slice(0, 10)}`
}

function showInboxes({ inboxIds }: ApiKeyRecord, inboxes: readonly InboxRecord[]): string {
  if (inboxIds === null) return 'all'
  const addresses = inboxIds.map(
    (id) => inboxes.find(({ inboxId }) => inboxId === id)?.emailAddress ?? 'removed',
  )
  return addresses.length === 0 ? 'none' : addresses.join(', ')
}

function toJson(key: ApiKeyRecord): Record<string, unknown> {
  return {
    key_id: key.apiKeyId,
    name: key.name,
    begins_with: `pst_live_${key.lookup}`,
    scopes: key.scopes,
    inbox_ids: key.inboxIds,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    created_at: key.createdAt.toISOString(),
  }
}
