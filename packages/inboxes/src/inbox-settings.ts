import { Fault, quote } from '@postern/core'
import { folderRoles } from '@postern/mail'
import type { InboxChange } from '@postern/store'

const maxAddress = 320
const maxAliases = 100
const maxAuthservIds = 20
// One addr-spec without quoting, which is what mailbox services give their users; lengths from RFC 5321 4.5.3.1.
const addressShape = /^[^\s@"(),:;<>[\]\\\p{C}]{1,64}@[^\s@"(),:;<>[\]\\\p{C}]{1,255}$/u
const hostShape = /^[A-Za-z0-9_.-]{1,253}$/
const nameShape = /^[^\p{C}]{1,200}$/u

/**
 * The settings as they are stored: zone and language in their canonical spelling.
 * @throws invalid_arguments naming the setting; nothing was changed.
 */
export function checkSettings(settings: InboxChange): InboxChange {
  const { timezone, language, displayName: ownerName, aliases = [], authservIds = [] } = settings
  if (typeof ownerName === 'string') requireShape('display_name', ownerName, nameShape)
  requireFew('aliases', aliases, maxAliases)
  for (const alias of aliases) checkAddress('aliases', alias)
  requireFew('authserv_ids', authservIds, maxAuthservIds)
  for (const id of authservIds) requireShape('authserv_ids', id, hostShape)
  for (const [role, folder] of Object.entries(settings.folderRoles ?? {})) checkFolderRole(role, folder)
  return {
    ...settings,
    ...(timezone === undefined ? {} : { timezone: canonicalZone(timezone) }),
    ...(language === undefined ? {} : { language: canonicalLanguage(language) }),
  }
}

/** @throws invalid_arguments. */
export function checkAddress(argument: string, address: string): void {
  if (address.length > maxAddress) throw refused(argument, address)
  requireShape(argument, address, addressShape)
}

function canonicalZone(timezone: string): string {
  // An offset such as +01:00 is no zone: it does not know summer time.
  if (!/^[A-Za-z]/.test(timezone)) throw refused('timezone', timezone)
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone
  } catch {
    throw refused('timezone', timezone)
  }
}

function canonicalLanguage(language: string): string {
  try {
    const [canonical] = Intl.getCanonicalLocales(language)
    if (canonical !== undefined && canonical.length <= 35) return canonical
  } catch {
    throw refused('language', language)
  }
  throw refused('language', language)
}

function checkFolderRole(role: string, folder: string): void {
  if (!folderRoles.some((known) => known === role)) throw refused('folder_roles', role)
  if (folder === '' || folder.length > 1_000 || /[\0\r\n]/.test(folder)) throw refused('folder_roles', role)
}

function requireShape(argument: string, value: string, shape: RegExp): void {
  if (!shape.test(value)) throw refused(argument, value)
}

function requireFew(argument: string, values: readonly string[], limit: number): void {
  if (values.length <= limit) return
  throw new Fault('invalid_arguments', {
    public: `${argument} takes at most ${String(limit)} values. Nothing was changed.`,
    details: { argument, limit },
  })
}

const wanted: Readonly<Record<string, string>> = {
  email_address: 'one mail address, such as ada@example.com',
  aliases: 'mail addresses, such as ada@example.com',
  timezone: 'a time zone of the IANA list, such as Europe/Berlin',
  language: 'a language tag, such as en or pt-BR',
  display_name: 'a name of at most 200 characters on one line',
  authserv_ids: 'names of the mail servers that check senders, such as mx.example.com',
  folder_roles: `a folder for each of ${folderRoles.join(', ')}`,
}

function refused(argument: string, value: string): Fault {
  return new Fault('invalid_arguments', {
    public: `${quote(value)} cannot be used as ${argument}: wanted is ${wanted[argument] ?? 'another value'}. Nothing was changed.`,
    details: { argument },
  })
}
