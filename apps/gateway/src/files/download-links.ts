import { holdsScopes, type InboxDirectory, type InboxRecord, type ScopeRule } from '@postern/access'
import type { Clock, Signer } from '@postern/core'
import { openMessageId, type MailAdapter } from '@postern/mail'
import {
  addDownload,
  findDownload,
  takeDownload,
  withTenant,
  type Database,
  type DownloadRecord,
} from '@postern/store'
import { openFile, type DownloadLinks } from '@postern/tools'
import { randomBytes } from 'node:crypto'
import type { Downloads, GoodLink } from './download.ts'

export interface DownloadLinkDeps {
  readonly db: Database
  readonly inboxes: InboxDirectory
  readonly openInbox: (inbox: InboxRecord) => Promise<MailAdapter>
  /** Signs links, and nothing else. */
  readonly linkSigner: Signer
  readonly messageIdSigner: Signer
  readonly clock: Clock
  /** Origin under which clients reach the service. */
  readonly publicUrl: string
}

const lifeMs = 10 * 60_000
const uses = 3

/** What the action that makes a link asks for: a link is good for no more than its maker is. */
const scopes: ScopeRule = [['read:email'], ['read:attachments']]

// Version, tenant, link, MAC: 49 octets, 66 characters.
const version = 1
const linkBytes = 16
const macBytes = 16

/**
 * Links to files. A link holds no more than whose row to look at, signed, so that a made-up one costs no look; the row
 * says which file, counts the uses for all gateways, and leads to the key, which is asked each time.
 */
export function createDownloadLinks(deps: DownloadLinkDeps): DownloadLinks & Downloads {
  const { db, clock, linkSigner, publicUrl } = deps
  return {
    async make({ tenantId, principalId }, file) {
      const linkId = randomBytes(linkBytes)
      const now = clock.now()
      const expiresAt = new Date(now.getTime() + lifeMs)
      const link = { ...file, linkId, principalId, uses, expiresAt }
      await withTenant(db, tenantId, (trx) => addDownload(trx, link, now))
      return { url: `${publicUrl}/files/${renderLink(linkSigner, { tenantId, linkId })}`, expiresAt, uses }
    },
    async find(text) {
      const link = parseLink(linkSigner, text)
      if (link === null) return null
      const { tenantId, linkId } = link
      const found = await withTenant(db, tenantId, (trx) => findDownload(trx, linkId, clock.now()))
      if (found === null || !holdsScopes(found.principal, scopes)) return null
      const reachable = await deps.inboxes.listInboxes(found.principal)
      const inbox = reachable.find(({ inboxId }) => inboxId === found.file.inboxId)
      return inbox === undefined
        ? null
        : { principal: found.principal, open: opener(deps, link, { inbox, file: found.file }) }
    },
  }
}

function opener(
  { db, clock, openInbox, messageIdSigner }: DownloadLinkDeps,
  { tenantId, linkId }: Link,
  { inbox, file }: { readonly inbox: InboxRecord; readonly file: DownloadRecord },
): GoodLink['open'] {
  return async (call) => {
    const ref = openMessageId(messageIdSigner, inbox.inboxId, file.messageId)
    if (ref === null) return null
    // Before the provider is asked: of two who come at once for the last use, one gets it.
    if (!(await withTenant(db, tenantId, (trx) => takeDownload(trx, linkId, clock.now())))) return null
    return openFile(await openInbox(inbox), ref, file.partId, call)
  }
}

interface Link {
  readonly tenantId: string
  readonly linkId: Uint8Array
}

function renderLink(signer: Signer, { tenantId, linkId }: Link): string {
  const tenant = Buffer.from(tenantId.replaceAll('-', ''), 'hex')
  const body = Buffer.concat([Uint8Array.of(version), tenant, linkId])
  return Buffer.concat([body, signer.sign(body).subarray(0, macBytes)]).toString('base64url')
}

/** Null for what we did not make. */
function parseLink(signer: Signer, text: string): Link | null {
  if (!/^[A-Za-z0-9_-]{66}$/.test(text)) return null
  const octets = Buffer.from(text, 'base64url')
  // A second spelling of the same octets is not a link we made.
  if (octets.toString('base64url') !== text) return null
  const body = octets.subarray(0, octets.length - macBytes)
  if (body[0] !== version || !signer.verifies(body, octets.subarray(-macBytes))) return null
  const tenant = body.subarray(1, 17).toString('hex')
  const tenantId = tenant.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { tenantId, linkId: Uint8Array.from(body.subarray(17)) }
}
