/** Names that clients use for ours. The first target that the action takes is meant. */
export const aliases: Readonly<Record<string, readonly string[]>> = Object.assign(
  Object.create(null) as Record<string, readonly string[]>,
  {
    max_results: ['limit'],
    page_size: ['limit'],
    per_page: ['limit'],
    q: ['query'],
    search: ['query'],
    sender: ['from'],
    after: ['since'],
    until: ['before'],
    unread_only: ['unread'],
    unread: ['unread_only'],
    text_body: ['body'],
    content: ['body'],
    html: ['html_body'],
    recipient: ['to'],
    recipients: ['to'],
    destination: ['destination_folder_id'],
    destination_folder: ['destination_folder_id'],
    target_folder: ['destination_folder_id'],
    folder: ['folder_id'],
    folder_id: ['folder'],
    scheduled_send_id: ['schedule_id'],
  },
)

/** Names that mean an inbox; whether by address or by id is told by the value. */
export const inboxAliases: ReadonlySet<string> = new Set(['mailbox', 'account', 'email_account'])

/** What some clients add to every call. */
export const clientExtras: ReadonlySet<string> = new Set([
  'toolCallId',
  'sessionId',
  'chatInput',
  'tool_call_id',
  '_meta',
])

/** Other words for an action, taken only for actions that read. */
export const actionSynonyms: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    get: 'read',
    fetch: 'read',
    open: 'read',
    find: 'search',
  },
)

/** Of an argument that another action takes: what the action at hand has for the same wish. */
export const ownNames: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  { folder: 'include_folders' },
)

const readsOnly = 'Reading never changes flags; email_organize `flag` does.'

/** Unknown names whose wish has another home, so that the error can say where. */
export const misplaced: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    mark_as_read: readsOnly,
    mark_read: readsOnly,
    mark_seen: readsOnly,
    mark_as_seen: readsOnly,
  },
)

/** Brands that agents name where a kind of provider is asked for: most mail services are reached over IMAP. */
export const providerBrands: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    google: 'gmail',
    googlemail: 'gmail',
    outlook: 'microsoft',
    office365: 'microsoft',
    microsoft365: 'microsoft',
    hotmail: 'microsoft',
    ...Object.fromEntries(
      'fastmail icloud yahoo aol zoho yandex gmx proton protonmail posteo mailbox migadu exchange dovecot 163 126 qq'
        .split(' ')
        .map((brand) => [brand, 'imap']),
    ),
  },
)

/** Actions that agents look for in one tool and that another tool does, as `tool.action`. */
export const actionHomes: Readonly<Record<string, string>> = Object.assign(
  Object.create(null) as Record<string, string>,
  {
    'draft.list': 'draft_list lists drafts.',
    'draft.read': 'draft_list with draft_id shows one.',
    'draft.get': 'draft_list with draft_id shows one.',
    'draft.forward': 'email_compose forwards.',
    'email_compose.draft': 'draft writes drafts.',
    'email_compose.reply_all': 'reply with reply_all answers everyone.',
    'email_read.drafts': 'draft_list lists drafts.',
  },
)
