import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import type { ActionContext } from './define-tool.ts'

/** The inbox of an action whose target is one inbox. */
export function onlyInbox({ inboxes }: ActionContext): InboxRecord {
  const [inbox] = inboxes
  if (inbox === undefined) {
    throw new Fault('internal_error', {
      public: 'Postern lost the inbox of this call. Nothing was done.',
      internal: 'no inbox chosen',
    })
  }
  return inbox
}
