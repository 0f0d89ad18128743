import type { InboxRecord } from '@postern/access'
import { setInbox, withTenant, type Database, type InboxChange } from '@postern/store'
import { checkSettings } from './inbox-settings.ts'

/**
 * Changes what an owner may say of an inbox; what is absent stays.
 * @throws invalid_arguments naming the setting, inbox_not_found.
 */
export async function changeInbox(
  db: Database,
  tenantId: string,
  inboxId: string,
  change: InboxChange,
): Promise<InboxRecord> {
  const checked = checkSettings(change)
  return withTenant(db, tenantId, (trx) => setInbox(trx, inboxId, checked))
}
