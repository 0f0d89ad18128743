import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import { disconnectInbox, type Connected } from '@postern/inboxes'
import type { ImapCandidate } from '@postern/providers'
import { listInboxes, setInbox, withTenant } from '@postern/store'
import type { Command } from 'commander'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import { connectImap, readPem, type ConnectedImap } from '../connect-imap.ts'
import { connectSandbox } from '../connect-sandbox.ts'
import type { Answer, CommandContext } from '../context.ts'
import { imapCandidates, isSubmissionNamed, type ImapOptions } from '../imap-candidates.ts'
import { parseLanguage, parseTimezone } from '../inbox-settings.ts'
import { facts, table } from '../layout.ts'
import { readPassword, readPasswordFile } from '../read-password.ts'
import { resolveInbox } from '../resolve-inbox.ts'
import { resolveTenant } from '../resolve-tenant.ts'
import type { Run } from '../run.ts'
import { withStore } from '../with-store.ts'

interface TenantOption {
  readonly tenant?: string
}

interface ConnectImapOptions extends TenantOption, ImapOptions {
  readonly caFile?: string
  readonly passwordStdin?: boolean
  readonly smtpPasswordFile?: string
}

interface ConnectSandboxOptions extends TenantOption {
  readonly address?: string
}

interface SetOptions extends TenantOption {
  readonly timezone?: string
  readonly language?: string
}

export function defineInbox(inbox: Command, run: Run): void {
  addConnectCommands(inbox.command('connect').description('connect a mailbox'), run)
  inbox
    .command('list')
    .description('list connected mailboxes')
    .option('--tenant <id or name>', 'whose')
    .action((options: TenantOption) => run((context) => listAll(context, options)))
  inbox
    .command('remove')
    .description('forget a mailbox and its password; the mail stays where it is')
    .argument('<inbox>', 'id or address')
    .option('--tenant <id or name>', 'whose')
    .action((named: string, options: TenantOption) => run((context) => remove(context, named, options)))
  inbox
    .command('set')
    .description('change what is set for a mailbox')
    .argument('<inbox>', 'id or address')
    .option('--timezone <zone>', 'time zone in which plain dates are read, such as Europe/Berlin')
    .option('--language <tag>', 'language of the owner, such as en or de')
    .option('--tenant <id or name>', 'whose')
    .action((named: string, options: SetOptions) => run((context) => change(context, named, options)))
}

function addConnectCommands(connect: Command, run: Run): void {
  connect
    .command('imap')
    .description('connect a mailbox by IMAP; it is tried out first, and nothing changes unless that works')
    .requiredOption('--address <address>', 'mail address of the owner')
    .option('--preset <name>', 'settings of a well-known service, for an address in a domain of its own')
    .option('--host <host>', 'mail server (default: from the domain of the address)')
    .option('--port <port>', 'default: 993 with --tls implicit, else 143')
    .option('--tls <mode>', 'implicit, starttls (demanded), or none (private hosts only)')
    .option('--username <name>', 'default: the address')
    .option('--smtp-host <host>', 'submission server (default: from the preset or the domain of the address)')
    .option('--smtp-port <port>', 'default: 465 with --smtp-tls implicit, else 587')
    .option('--smtp-tls <mode>', 'implicit, starttls (demanded), or none (private hosts only)')
    .option('--smtp-username <name>', 'default: as for reading')
    .option(
      '--smtp-password-file <path>',
      'file that holds the password for sending (default: as for reading)',
    )
    .option('--no-smtp', 'connect for reading only')
    .option('--ca-file <path>', 'PEM file of an authority to trust for this mailbox')
    .option(
      '--password-stdin',
      'read the password from standard input (else POSTERN_IMAP_PASSWORD, else it is asked for)',
    )
    .option('--tenant <id or name>', 'whose; may be left out while there is one tenant')
    .action((options: ConnectImapOptions) => run((context) => connectByImap(context, options)))
  connect
    .command('sandbox')
    .description('connect a made-up mailbox of about 300 messages, to try things')
    .option('--address <address>', 'default: robin@sandbox.example')
    .option('--tenant <id or name>', 'whose; may be left out while there is one tenant')
    .action((options: ConnectSandboxOptions) => run((context) => connectMadeUp(context, options)))
}

async function connectByImap(context: CommandContext, options: ConnectImapOptions): Promise<Answer> {
  const config = parseCliConfig(context.environment)
  const candidates = imapCandidates(options)
  const caPem = options.caFile === undefined ? null : await readPem(options.caFile)
  const password = await askPassword(context, candidates, {
    isFromStdin: options.passwordStdin === true,
    fromEnvironment: config.imapPassword,
  })
  const { smtpPasswordFile: file } = options
  const smtpPassword = file === undefined ? null : await readPasswordFile(file)
  const connected = await withStore(config.service, commandLog(context), async (store) => {
    const { tenantId } = await resolveTenant(store.database, options.tenant)
    const request = {
      tenantId,
      address: options.address,
      password,
      smtpPassword,
      caPem,
      isSubmissionNamed: isSubmissionNamed(options) || smtpPassword !== null,
    }
    return connectImap(store, config.service, candidates, request)
  })
  return connectedAnswer(connected, connected.submission)
}

async function askPassword(
  context: CommandContext,
  candidates: readonly ImapCandidate[],
  options: { readonly isFromStdin: boolean; readonly fromEnvironment: string | null },
): Promise<string> {
  const [first] = candidates
  const service = first?.service ?? null
  if (service?.needsOauth === true) {
    throw new Fault('capability_unavailable', {
      public: `${service.name} takes no password over IMAP, and signing in with it is not part of this release. Nothing was changed.`,
      details: { reason: 'oauth_needed' },
    })
  }
  if (
    service !== null &&
    service.appPassword !== null &&
    !options.isFromStdin &&
    options.fromEnvironment === null
  ) {
    const page = service.appPassword.url === null ? '' : `, made at ${service.appPassword.url}`
    const when = service.appPassword.isAlways ? 'takes' : 'takes, with two-factor login,'
    context.note(`${service.name} ${when} an app password instead of the account's${page}\n`)
  }
  return readPassword(context, `Password of ${first?.username ?? ''} at ${first?.host ?? ''}`, options)
}

async function connectMadeUp(context: CommandContext, options: ConnectSandboxOptions): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const { address } = options
  const connected = await withStore(service, commandLog(context), async ({ database, keyRing }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    const request = { database, keyRing, tenantId, now: context.now() }
    return connectSandbox(address === undefined ? request : { ...request, address: requireAddress(address) })
  })
  return connectedAnswer(connected)
}

function requireAddress(address: string): string {
  const [candidate] = imapCandidates({ address, host: 'sandbox.example' })
  return candidate?.username ?? address
}

function connectedAnswer(
  { inbox, isReconnected }: Connected,
  submission?: ConnectedImap['submission'],
): Answer {
  const sending =
    submission === null
      ? 'no; name its submission server with --smtp-host'
      : `by ${submission === undefined ? 'the sandbox' : `${submission.host}:${submission.port}`}`
  const shown = facts([
    [isReconnected ? 'Reconnected' : 'Connected', inbox.emailAddress],
    ['Id', inbox.inboxId],
    ['Kind', inbox.service === null ? inbox.provider : `${inbox.provider} (${inbox.service})`],
    ['Sends', sending],
    ['Time zone', inbox.timezone],
  ])
  return {
    json: {
      ...toJson(inbox),
      reconnected: isReconnected,
      ...(submission === undefined ? {} : { submission_host: submission?.host ?? null }),
    },
    text: `${shown}\nNext: postern key create --scopes read:email,search:email --inbox ${inbox.emailAddress}\n`,
  }
}

async function listAll(context: CommandContext, options: TenantOption): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const inboxes = await withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    return withTenant(database, tenantId, listInboxes)
  })
  const rows = inboxes.map((inbox) => [
    inbox.emailAddress,
    inbox.service ?? inbox.provider,
    inbox.status,
    inbox.timezone,
    inbox.language,
    inbox.inboxId,
  ])
  const text =
    inboxes.length === 0
      ? 'No inbox is connected. Connect one: postern inbox connect sandbox, or: postern inbox connect imap --address you@example.com\n'
      : table(['ADDRESS', 'KIND', 'STATUS', 'TIME ZONE', 'LANGUAGE', 'INBOX ID'], rows)
  return { json: { inboxes: inboxes.map(toJson) }, text }
}

async function remove(context: CommandContext, named: string, options: TenantOption): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const inbox = await withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    const found = resolveInbox(await withTenant(database, tenantId, listInboxes), named)
    // A running service drops its own connections: it finds neither inbox nor credential with the next call.
    const providers = { drain: async () => undefined }
    await disconnectInbox({ db: database, providers }, tenantId, found.inboxId)
    return found
  })
  return {
    json: { inbox_id: inbox.inboxId, removed: true },
    text: `${inbox.emailAddress} is forgotten, with its password. Its mail stays where it is.\n`,
  }
}

async function change(context: CommandContext, named: string, options: SetOptions): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const settings = {
    ...(options.timezone === undefined ? {} : { timezone: parseTimezone(options.timezone) }),
    ...(options.language === undefined ? {} : { language: parseLanguage(options.language) }),
  }
  if (Object.keys(settings).length === 0) {
    throw new Fault('missing_argument', { public: 'Say what to change: --timezone, --language, or both.' })
  }
  const inbox = await withStore(service, commandLog(context), async ({ database }) => {
    const { tenantId } = await resolveTenant(database, options.tenant)
    const found = resolveInbox(await withTenant(database, tenantId, listInboxes), named)
    return withTenant(database, tenantId, (trx) => setInbox(trx, found.inboxId, settings))
  })
  const text = facts([
    ['Inbox', inbox.emailAddress],
    ['Time zone', inbox.timezone],
    ['Language', inbox.language],
  ])
  return { json: toJson(inbox), text }
}

function toJson(inbox: InboxRecord): Record<string, unknown> {
  return {
    inbox_id: inbox.inboxId,
    tenant_id: inbox.tenantId,
    email_address: inbox.emailAddress,
    display_name: inbox.displayName,
    provider: inbox.provider,
    service: inbox.service,
    status: inbox.status,
    status_reason: inbox.statusReason,
    timezone: inbox.timezone,
    language: inbox.language,
    last_event_at: inbox.lastEventAt?.toISOString() ?? null,
    created_at: inbox.createdAt.toISOString(),
  }
}
