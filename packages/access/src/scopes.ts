/** What an action does to the world. Declared once per action; annotations and audit level derive from it. */
export type Effect = 'read' | 'write' | 'send' | 'destroy'

interface ScopeEntry {
  readonly title: string
  readonly explanation: string
  readonly effect: Effect
}

/** Every permission a key can carry. An old key never gains a scope that was added after it. */
export const scopes = {
  'read:email': { title: 'Read mail', explanation: 'Open messages, threads and folders.', effect: 'read' },
  'search:email': {
    title: 'Search mail',
    explanation: 'Find and count messages; without Read mail, results carry no text of the message.',
    effect: 'read',
  },
  'read:attachments': {
    title: 'Read attachments',
    explanation: 'Download and extract attached files.',
    effect: 'read',
  },
  'send:email': {
    title: 'Send mail',
    explanation: 'Send, reply and forward, within the rules of the inbox.',
    effect: 'send',
  },
  'manage:drafts': {
    title: 'Manage drafts',
    explanation: 'Write, change and discard unsent mail.',
    effect: 'write',
  },
  'organize:email': {
    title: 'Organise mail',
    explanation: 'Move, copy, flag, label and archive messages.',
    effect: 'write',
  },
  'manage:folders': {
    title: 'Manage folders',
    explanation: 'Create, rename and remove folders or labels.',
    effect: 'destroy',
  },
  'delete:email': {
    title: 'Delete mail',
    explanation: 'Move messages to Trash or Spam, and delete them for ever.',
    effect: 'destroy',
  },
  'read:contacts': { title: 'Read contacts', explanation: 'Search the contact book.', effect: 'read' },
  'manage:contacts': {
    title: 'Manage contacts',
    explanation: 'Create, change, merge and delete contacts.',
    effect: 'destroy',
  },
  'schedule:email': {
    title: 'Schedule mail',
    explanation: 'Queue mail for later, and cancel it.',
    effect: 'send',
  },
  'manage:automations': {
    title: 'Manage automations',
    explanation: 'Create and run standing rules.',
    effect: 'send',
  },
  'read:calendar': { title: 'Read calendar', explanation: 'See events and birthdays.', effect: 'read' },
  'manage:calendar': {
    title: 'Manage calendar',
    explanation: 'Create, change and answer events.',
    effect: 'send',
  },
  'manage:signatures': {
    title: 'Manage signatures',
    explanation: 'Show and change what is appended to mail.',
    effect: 'write',
  },
} as const satisfies Record<string, ScopeEntry>

export type Scope = keyof typeof scopes

export const allScopes = Object.keys(scopes) as readonly Scope[]

/** What a new key carries unless its maker chooses. */
export const defaultScopes = [
  'read:email',
  'search:email',
  'read:attachments',
  'manage:drafts',
  'read:contacts',
] as const satisfies readonly Scope[]

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopes, text)
}

/** All of the groups must hold; of each group one scope is enough: `[['read:email', 'search:email']]` is "or". */
export type ScopeRule = readonly (readonly Scope[])[]
