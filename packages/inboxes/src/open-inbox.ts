import type { InboxRecord } from '@postern/access'
import { Fault } from '@postern/core'
import type { MailAdapter } from '@postern/mail'
import type { Providers } from '@postern/providers'
import { credentialContext, getSealed, type Database } from '@postern/store'
import { open, type KeyRing } from '@postern/vault'
import { inboxDisabled } from './inbox-disabled.ts'
import type { InboxHealth } from './inbox-health.ts'
import { OpenedCredentials } from './opened-credentials.ts'
import { toProviderKind } from './provider-kind.ts'
import { watchAdapter } from './watch-adapter.ts'

export interface InboxOpenerDeps {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly providers: Pick<Providers, 'open'>
  readonly health: InboxHealth
  /** Where an owner reconnects an inbox. */
  readonly ownerUrl: string
}

export interface InboxOpener {
  /**
   * An adapter for one inbox; nothing is dialled before its first verb.
   * @throws inbox_reconnect_required, inbox_disabled; internal_error when the credential does not open.
   */
  open(inbox: InboxRecord): Promise<MailAdapter>
}

/** Status, then the credential, then the provider's adapter, watched for its health. */
export function createInboxOpener(deps: InboxOpenerDeps): InboxOpener {
  const opened = new OpenedCredentials()
  return {
    async open(inbox) {
      requireUsable(inbox, deps.ownerUrl)
      const { tenantId, inboxId, credentialVersion } = inbox
      const known = opened.get(inboxId, credentialVersion)
      const { credential, version } =
        known === undefined
          ? await readCredential(deps, inbox)
          : { credential: known, version: credentialVersion }
      if (known === undefined) opened.set(inboxId, version, credential)
      const handle = {
        inboxId,
        credentialVersion: version,
        emailAddress: inbox.emailAddress,
        ownerAddresses: [inbox.emailAddress, ...inbox.aliases],
        folderRoles: inbox.folderRoles,
      }
      const mail = await deps.providers.open(toProviderKind(inbox.provider), handle, credential)
      return watchAdapter(mail, deps.health.of({ tenantId, inboxId, credentialVersion: version }))
    },
  }
}

/** The sealed credential in one short read, opened. */
async function readCredential(
  { db, keyRing, ownerUrl }: InboxOpenerDeps,
  inbox: InboxRecord,
): Promise<{ readonly credential: unknown; readonly version: number }> {
  const { tenantId, inboxId } = inbox
  const sealed = await getSealed(db, tenantId, inboxId, 'mail')
  if (sealed === null) throw reconnectRequired(inbox, ownerUrl)
  const octets = open(keyRing, sealed.envelope, credentialContext(tenantId, inboxId, 'mail'))
  return { credential: JSON.parse(Buffer.from(octets).toString('utf8')), version: sealed.version }
}

function requireUsable(inbox: InboxRecord, ownerUrl: string): void {
  if (inbox.status === 'reconnect_required') throw reconnectRequired(inbox, ownerUrl)
  if (inbox.status === 'disabled') throw inboxDisabled(inbox)
}

function reconnectRequired({ inboxId }: InboxRecord, ownerUrl: string): Fault {
  return new Fault('inbox_reconnect_required', {
    public: `The mail server no longer accepts the credential of this inbox. Its owner must connect it again, at ${ownerUrl}. No mail was read or changed.`,
    details: { inbox_id: inboxId, reconnect_url: ownerUrl },
  })
}
