import type { InboxRecord } from '@postern/access'
import type { Identity } from '@postern/mail'

/** From addresses that the owner of an inbox may use: its own first, then its aliases, as the owner has set them. */
export function listIdentities({ emailAddress, aliases, displayName }: InboxRecord): readonly Identity[] {
  const further = aliases.filter((alias) => alias.toLowerCase() !== emailAddress.toLowerCase())
  return [emailAddress, ...further].map((email, index) => ({
    email,
    name: displayName,
    isPrimary: index === 0,
  }))
}
