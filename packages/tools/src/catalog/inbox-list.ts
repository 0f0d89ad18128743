import { cleanLine, foldText, rawText, type Capabilities } from '@postern/mail'
import type { InboxRecord } from '@postern/access'
import { listIdentities, type PolicySummary } from '@postern/outbox'
import * as z from 'zod'
import { fitItems, roomBeside, truncated } from '../budget.ts'
import { type ActionContext, defineAction, defineTool } from '../define-tool.ts'
import { isBound } from '../is-bound.ts'
import { cleanText, paging, truncation, untrusted } from '../outputs.ts'
import * as params from '../params.ts'

/** Own addresses that one inbox lists; an owner may have set more. */
const maxIdentities = 50

/** Version of the shape of `capabilities` and `compatibility`. */
const schemaVersion = 1

const input = z.strictObject({
  provider: z
    .enum(['gmail', 'microsoft', 'imap', 'sandbox'])
    .describe(
      'Only inboxes of this kind: gmail; microsoft (Outlook.com, Microsoft 365); imap (any other service, such as Fastmail); sandbox (made-up mail to try things on). Default: all.',
    )
    .meta({ kind: 'provider' })
    .optional(),
  query: z
    .string()
    .min(1)
    .max(200)
    .describe('Part of the address, an alias or the display name; case does not matter.')
    .optional(),
  limit: z.number().int().min(1).max(200).describe('Inboxes per page.').default(50).meta({ kind: 'clamped' }),
  offset: params.offset,
  include_capabilities: z
    .boolean()
    .describe(
      'true adds what the mailbox of each inbox can do, whatever the key may. Default: true when the key reaches one inbox, else false.',
    )
    .optional(),
})

const capabilitiesOutput = z.strictObject({
  flags: z.boolean(),
  folders: z.boolean(),
  labels: z.boolean(),
  move: z.boolean(),
  copy: z.boolean(),
  delete: z.boolean(),
  trash_vs_expunge: z.enum(['trash', 'both']),
  forward: z.boolean(),
  drafts: z.boolean(),
  contacts_api: z.boolean(),
  scheduling: z.boolean(),
  calendar: z.boolean(),
  original_message: z.boolean(),
  search_syntax: z.string(),
  matching: z.enum(['words', 'substring']),
  threads: z.enum(['native', 'derived']),
  sent_copy: z.enum(['provider', 'append']),
})

const inboxOutput = z.strictObject({
  inbox_id: z.string(),
  email_address: cleanText,
  display_name: cleanText.nullable(),
  provider: z.string(),
  service: z.string().nullable(),
  status: z.enum(['connected', 'connecting', 'reconnect_required', 'disabled']),
  status_reason: z.string().nullable(),
  reconnect_url: z.string().nullable(),
  last_sync_at: z.string().nullable(),
  last_event_at: z.string().nullable(),
  timezone: z.string(),
  sender_identities: z.array(
    z.strictObject({
      email_address: cleanText,
      display_name: cleanText.nullable(),
      reply_to: z.string().nullable(),
      is_primary: z.boolean(),
      is_default: z.boolean(),
    }),
  ),
  sender_identity_status: z.enum(['available', 'reconnect_required', 'unavailable']),
  policies: z.strictObject({
    send_approval: z.boolean(),
    bulk_review: z.boolean(),
    recipient_rules: z.string(),
    daily_send_cap: z.number().int().nullable(),
    sends_left_today: z.number().int().nullable(),
  }),
  contacts: z.strictObject({
    state: z.enum(['none', 'running', 'complete']),
    covered_since: z.string().nullable(),
    percent: z.number(),
  }),
  capabilities: capabilitiesOutput.optional(),
  compatibility: z
    .strictObject({
      schema_version: z.number().int(),
      profile: z.string(),
      operations: z.record(z.string(), z.enum(['exact', 'different', 'unavailable'])),
      notes: z.array(z.string()),
    })
    .optional(),
})

const output = z.strictObject({
  inboxes: z.array(inboxOutput),
  ...paging,
  ...truncation,
  key: z
    .strictObject({
      kind: z.string(),
      scopes: z.array(z.string()),
      expires_at: z.string().nullable(),
      bound: z.boolean(),
    })
    .describe('bound: the key is for exactly one inbox.'),
  untrusted_content: untrusted,
})

const action = defineAction({
  action: null,
  effect: 'read',
  scopes: [],
  target: 'key',
  seconds: 25,
  input,
  output,
  example: {},
  async run({ provider, query, limit, offset, include_capabilities: asked }, context) {
    const { principal, reachable } = context
    const wanted = query === undefined ? null : foldText(query)
    const matching = reachable.filter(
      (inbox) =>
        (provider === undefined || inbox.provider === provider) &&
        (wanted === null || namesOf(inbox).some((text) => foldText(text).includes(wanted))),
    )
    const withCapabilities = asked ?? reachable.length === 1
    const { scopes, expiresAt } = principal.grant
    const rest = {
      key: {
        kind: principal.kind,
        scopes: [...scopes],
        expires_at: expiresAt?.toISOString() ?? null,
        bound: isBound(principal),
      },
      untrusted_content: true as const,
    }
    const policies = await context.deps.policies.list(principal, context.now)
    const rows = matching
      .slice(offset, offset + limit)
      .map((inbox) =>
        renderInbox(inbox, context, { withCapabilities, policy: policies.get(inbox.inboxId) ?? null }),
      )
    const inboxes = fitItems(rows, roomBeside(context, rest) - 100)
    const next = offset + inboxes.length
    const hasMore = next < matching.length
    return {
      inboxes: [...inboxes],
      has_more: hasMore,
      next_offset: hasMore ? next : null,
      ...(inboxes.length < rows.length
        ? truncated('The page reached its size cap; next_offset continues it.')
        : {}),
      ...rest,
    }
  },
})

function namesOf({ emailAddress, aliases, displayName }: InboxRecord): readonly string[] {
  return [emailAddress, ...aliases, displayName ?? '']
}

function renderInbox(
  inbox: InboxRecord,
  context: ActionContext,
  { withCapabilities, policy }: { readonly withCapabilities: boolean; readonly policy: PolicySummary | null },
): z.input<typeof inboxOutput> {
  const isUsable = inbox.status === 'connected' || inbox.status === 'connecting'
  const identities = listIdentities(inbox)
  const displayName = inbox.displayName === null ? null : cleanLine(rawText(inbox.displayName))
  if (identities.length > maxIdentities)
    context.note(`sender_identities lists the first ${maxIdentities} addresses of an inbox that has more.`)
  return {
    inbox_id: inbox.inboxId,
    email_address: cleanLine(rawText(inbox.emailAddress)),
    display_name: displayName,
    provider: inbox.provider,
    service: inbox.service,
    status: inbox.status,
    status_reason: inbox.statusReason,
    reconnect_url: inbox.status === 'reconnect_required' ? context.deps.ownerUrl : null,
    last_sync_at: inbox.lastSyncAt?.toISOString() ?? null,
    last_event_at: inbox.lastEventAt?.toISOString() ?? null,
    timezone: inbox.timezone,
    sender_identities: identities.slice(0, maxIdentities).map(({ email, name, isPrimary }) => ({
      email_address: cleanLine(rawText(email)),
      display_name: name === null ? null : cleanLine(rawText(name)),
      reply_to: null,
      is_primary: isPrimary,
      is_default: isPrimary,
    })),
    sender_identity_status: isUsable
      ? 'available'
      : inbox.status === 'reconnect_required'
        ? 'reconnect_required'
        : 'unavailable',
    policies: {
      send_approval: policy?.sendApproval ?? false,
      bulk_review: policy?.bulkReview ?? false,
      recipient_rules: policy?.recipientRules.join(' and ') || 'anyone',
      daily_send_cap: policy?.sendsPerDay ?? null,
      sends_left_today: policy?.sendsLeftToday ?? null,
    },
    // No inbox has a contact book before the part that makes one exists.
    contacts: { state: 'none', covered_since: null, percent: 0 },
    ...(withCapabilities ? describeCapabilities(inbox, context.deps.capabilitiesOf(inbox.provider)) : {}),
  }
}

/** What this mailbox can do through Postern: what the adapter can, as far as a tool for it exists. */
function describeCapabilities(
  inbox: InboxRecord,
  can: Capabilities,
): Required<Pick<z.input<typeof inboxOutput>, 'capabilities' | 'compatibility'>> {
  return {
    capabilities: {
      flags: true,
      folders: true,
      labels: can.labels,
      move: can.move,
      copy: can.copy,
      delete: true,
      trash_vs_expunge: can.permanentDelete ? 'both' : 'trash',
      forward: true,
      drafts: true,
      contacts_api: false,
      scheduling: false,
      calendar: false,
      original_message: true,
      search_syntax: 'postern',
      matching: can.matching,
      threads: can.nativeThreads ? 'native' : 'derived',
      sent_copy: can.savesSentCopy ? 'provider' : 'append',
    },
    compatibility: {
      schema_version: schemaVersion,
      profile: inbox.provider,
      operations: {
        list: 'exact',
        search: 'exact',
        count: 'exact',
        read: 'exact',
        thread: 'exact',
        attachment: 'exact',
        wait: 'exact',
        folder: 'exact',
        organise: 'exact',
        label: can.labels ? 'exact' : 'different',
        delete: 'exact',
        write: 'exact',
        send: 'exact',
        schedule: 'unavailable',
        contacts: 'unavailable',
        calendar: 'unavailable',
      },
      notes: [
        'This version of Postern reads, organises, deletes, writes and sends mail; it does not yet schedule it, and has no contacts and no calendar.',
        ...(can.labels ? [] : ['A label is a keyword of the mail server here, and rows do not show it.']),
      ],
    },
  }
}

export const inboxList = defineTool({
  name: 'inbox_list',
  title: 'List inboxes',
  description:
    'Lists the inboxes (mail accounts) this key reaches: inbox_id, address, status, time zone, sender_identities and, with include_capabilities, what each can do. The natural first call. ' +
    'key shows the scopes and expiry of the key, which decide what other calls are refused. ' +
    'One with status reconnect_required or disabled is listed too, with status_reason and the URL where its owner mends it; until then calls on it fail. ' +
    "Answered from Postern's records: asks no mail server, needs no scope, does not count against usage.",
  isIdempotent: true,
  isBulk: false,
  toolset: 'core',
  actions: [action],
})
