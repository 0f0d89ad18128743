import type { Providers } from '@postern/providers'
import { removeInbox, withTenant, type Database } from '@postern/store'

export interface DisconnectDeps {
  readonly db: Database
  readonly providers: Pick<Providers, 'drain'>
}

/** Forgets an inbox and its credential, and closes what is open to it. Mail stays where it is. @throws inbox_not_found. */
export async function disconnectInbox(
  deps: DisconnectDeps,
  tenantId: string,
  inboxId: string,
): Promise<void> {
  await withTenant(deps.db, tenantId, (trx) => removeInbox(trx, inboxId))
  await deps.providers.drain(inboxId)
}
