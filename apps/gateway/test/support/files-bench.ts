import { allScopes, type InboxRecord, type Principal, type Scope } from '@postern/access'
import { silentLog } from '@postern/core'
import { makeInbox, makeTenant, type TestDatabase } from '@postern/fixtures'
import { sealMessageId, type MailAdapter, type MessageRef } from '@postern/mail'
import { createMemoryAdapter, createMemoryMailbox, type MemoryMailbox } from '@postern/providers'
import {
  authenticateApiKey,
  createInboxDirectory,
  issueApiKey,
  revokeApiKey,
  withTenant,
} from '@postern/store'
import type { DownloadLinks, UploadShelf } from '@postern/tools'
import { createDownloadLinks, type DownloadLinkDeps } from '../../src/files/download-links.ts'
import { createUploadShelf } from '../../src/files/upload-shelf.ts'
import { listen, type Listener, type ListenerOptions } from './listener.ts'

/** Two gateways over one database, with a tenant, its mailbox and its keys. */
export interface FilesBench {
  now: Date
  readonly tenantId: string
  readonly inbox: InboxRecord
  readonly mailbox: MemoryMailbox
  readonly gateways: readonly [Listener, Listener]
  readonly shelf: UploadShelf
  readonly links: DownloadLinks
  /** A key, and whom it stands for. */
  key(
    scopes?: readonly Scope[],
    of?: { readonly tenantId?: string; readonly inboxIds?: readonly string[] },
  ): Promise<IssuedKey>
  revoke(key: IssuedKey): Promise<void>
  /** Puts a message in INBOX; its id. */
  deliver(raw: Uint8Array): Promise<string>
  /** Opened instead of the mailbox from now on. */
  mail: MailAdapter | null
  close(): Promise<void>
}

export interface IssuedKey {
  readonly token: string
  readonly principal: Principal
}

export async function createFilesBench(
  { db, keyRing }: TestDatabase,
  options: Pick<ListenerOptions, 'deps' | 'inFlight'> = {},
): Promise<FilesBench> {
  const tenantId = await makeTenant(db)
  const inbox = await makeInbox(db, tenantId)
  const mailbox = createMemoryMailbox()
  const adapter = createMemoryAdapter(mailbox)
  const clock = { now: (): Date => bench.now }
  const openInbox = (): Promise<MailAdapter> => Promise.resolve(bench.mail ?? adapter)
  const makeOne = (): Promise<Gateway> => startGateway({ db, keyRing, clock, openInbox }, options)
  const [one, two] = [await makeOne(), await makeOne()]
  const bench: FilesBench = {
    now: new Date('2026-12-01T00:00:00Z'),
    tenantId,
    inbox,
    mailbox,
    gateways: [one.listener, two.listener],
    shelf: one.shelf,
    links: one.links,
    mail: null,
    async key(scopes = allScopes, of = {}) {
      const expiresAt = new Date('2027-01-01T00:00:00Z')
      const asked = { name: 'k', scopes, inboxIds: of.inboxIds ?? null, expiresAt }
      const { key: token } = await issueApiKey(db, keyRing, of.tenantId ?? tenantId, asked)
      return { token, principal: await authenticateApiKey(db, keyRing, token, bench.now) }
    },
    revoke: ({ principal }) =>
      withTenant(db, tenantId, (trx) => revokeApiKey(trx, principal.principalId, bench.now)),
    async deliver(raw) {
      mailbox.append('INBOX', { raw, receivedAt: bench.now })
      const ref = await newestOf(adapter)
      return sealMessageId(keyRing.signer('ids'), inbox.inboxId, ref)
    },
    close: async () => {
      await Promise.all([one.listener.close(), two.listener.close()])
    },
  }
  return bench
}

interface Gateway {
  readonly listener: Listener
  readonly shelf: UploadShelf
  readonly links: DownloadLinks
}

async function startGateway(
  of: Pick<DownloadLinkDeps, 'clock' | 'openInbox'> & Pick<TestDatabase, 'db' | 'keyRing'>,
  options: Pick<ListenerOptions, 'deps' | 'inFlight'>,
): Promise<Gateway> {
  const { db, keyRing, clock } = of
  const shelf = createUploadShelf(of)
  const links = createDownloadLinks({
    ...of,
    inboxes: createInboxDirectory(db),
    linkSigner: keyRing.signer('downloads'),
    messageIdSigner: keyRing.signer('ids'),
    publicUrl: 'https://mail.example.com',
  })
  const authenticate = (token: string): Promise<Principal> =>
    authenticateApiKey(db, keyRing, token, clock.now())
  const deps = { authenticate, uploads: shelf, downloads: links, ...options.deps }
  return { listener: await listen({ ...options, deps }), shelf, links }
}

async function newestOf(adapter: MailAdapter): Promise<MessageRef> {
  const call = {
    signal: new AbortController().signal,
    deadline: new Date(Date.now() + 60_000),
    log: silentLog,
  }
  const page = { offset: 0, limit: 1, after: null }
  const { messages } = await adapter.listMessages('INBOX', { isUnreadOnly: false }, page, call)
  const [row] = messages
  if (row === undefined) throw new Error('nothing was delivered')
  return row.message.ref
}
