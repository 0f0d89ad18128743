import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'

/** The one wording for an inbox that its owner or plan switched off. */
export function inboxDisabled({ inboxId }: InboxRecord): Fault {
  return new Fault('inbox_disabled', {
    public: 'This inbox is switched off by its owner or plan. Nothing was read or changed.',
    details: { inbox_id: inboxId },
  })
}
