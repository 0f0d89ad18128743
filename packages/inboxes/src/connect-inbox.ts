import type { InboxRecord } from '@postern/access'
import { Fault, newUuid } from '@postern/core'
import type { Call, ProviderKind } from '@postern/mail'
import type { ConnectionCheck, Providers } from '@postern/providers'
import {
  addInbox,
  credentialContext,
  getInbox,
  listInboxes,
  saveCredential,
  setInboxStatus,
  withTenant,
  type Database,
  type InboxChange,
  type TenantTrx,
} from '@postern/store'
import { seal, type KeyRing } from '@postern/vault'
import { inboxDisabled } from './inbox-disabled.ts'
import { checkAddress, checkSettings } from './inbox-settings.ts'

export interface ConnectDeps {
  readonly db: Database
  readonly keyRing: KeyRing
  readonly providers: Pick<Providers, 'check' | 'credentialSchema' | 'drain'>
}

/** What an owner connects. The credential has the shape of its kind (`Providers.credentialSchema`). */
export interface ConnectRequest {
  readonly tenantId: string
  readonly provider: ProviderKind
  readonly emailAddress: string
  readonly credential: unknown
  readonly displayName?: string
  readonly aliases?: readonly string[]
  readonly timezone?: string
  readonly language?: string
  /** authserv-ids whose word on a sender is taken. */
  readonly authservIds?: readonly string[]
}

export interface Connected {
  readonly inbox: InboxRecord
  /** True when the address was connected before: it kept its id and got the new credential. */
  readonly isReconnected: boolean
}

/**
 * Tries the credential against the provider and, only if that works, stores inbox and sealed credential in one
 * transaction. An address that is connected already is reconnected: same inbox, new credential, its settings kept.
 * @throws invalid_arguments naming the setting or the field of the credential; inbox_disabled; provider_error
 * when the test fails, with its `step`, `reason` and `suggestions`. Nothing was changed then.
 */
export async function connectInbox(
  deps: ConnectDeps,
  request: ConnectRequest,
  call: Call,
): Promise<Connected> {
  const { tenantId, provider } = request
  checkAddress('email_address', request.emailAddress)
  const settings = checkSettings(settingsOf(request))
  const credential = parseCredential(deps, request)
  const known = await withTenant(deps.db, tenantId, (trx) => findByAddress(trx, request))
  const check = await deps.providers.check(provider, credential, call)
  if (!check.ok) throw checkFailed(check)
  const inboxId = known?.inboxId ?? newUuid()
  const context = credentialContext(tenantId, inboxId, 'mail')
  const envelope = seal(deps.keyRing, Buffer.from(JSON.stringify(credential), 'utf8'), context)
  const inbox = await withTenant(deps.db, tenantId, async (trx) => {
    if (known === null) {
      const { emailAddress } = request
      await addInbox(trx, { ...settings, inboxId, provider, emailAddress, service: check.service })
    }
    await saveCredential(trx, inboxId, 'mail', envelope)
    await setInboxStatus(trx, inboxId, { status: 'connected', reason: null })
    return getInbox(trx, inboxId)
  })
  // What is still open was opened with the credential before.
  await deps.providers.drain(inboxId)
  return { inbox, isReconnected: known !== null }
}

/** The credential in the shape of its kind; a refusal names fields and never repeats what stood in them. */
function parseCredential({ providers }: ConnectDeps, { provider, credential }: ConnectRequest): unknown {
  const parsed = providers.credentialSchema(provider).safeParse(credential)
  if (parsed.success) return parsed.data
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join('.') || 'credential'))]
  throw new Fault('invalid_arguments', {
    public: `The credential cannot be used; look at ${fields.join(', ')}. Nothing was changed.`,
    details: { argument: 'credential', fields },
  })
}

async function findByAddress(
  trx: TenantTrx,
  { emailAddress, provider }: ConnectRequest,
): Promise<InboxRecord | null> {
  const address = emailAddress.toLowerCase()
  const known = (await listInboxes(trx)).find((inbox) => inbox.emailAddress.toLowerCase() === address)
  if (known === undefined) return null
  if (known.status === 'disabled') throw inboxDisabled(known)
  if (known.provider === provider) return known
  throw new Fault('invalid_arguments', {
    public: `That address is connected already, as ${known.provider}. Remove that inbox first; nothing was changed.`,
    details: { argument: 'email_address', inbox_id: known.inboxId },
  })
}

function settingsOf({ displayName, aliases, timezone, language, authservIds }: ConnectRequest): InboxChange {
  return {
    ...(displayName === undefined ? {} : { displayName }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(language === undefined ? {} : { language }),
    ...(authservIds === undefined ? {} : { authservIds }),
  }
}

function checkFailed({ step, reason, advice, suggestions }: ConnectionCheck): Fault {
  return new Fault('provider_error', {
    public: `The connection test failed at step "${step}": ${advice}`,
    details: { step, reason, suggestions },
  })
}
