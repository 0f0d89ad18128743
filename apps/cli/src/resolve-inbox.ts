import type { InboxRecord } from '@postern/access'
import { Fault, quote } from '@postern/core'

/** The inbox that an id or an address names. @throws inbox_not_found. */
export function resolveInbox(inboxes: readonly InboxRecord[], named: string): InboxRecord {
  const wanted = named.toLowerCase()
  const found = inboxes.find(
    ({ inboxId, emailAddress, aliases }) =>
      inboxId === wanted || emailAddress.toLowerCase() === wanted || aliases.includes(wanted),
  )
  if (found === undefined) {
    throw new Fault('inbox_not_found', {
      public: `No inbox is called ${quote(named)}. postern inbox list shows them. Nothing was done.`,
      details: { argument: 'inbox' },
    })
  }
  return found
}
