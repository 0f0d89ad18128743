import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { InboxRecord } from '@postern/access'
import { emptyBook } from '@postern/contacts'
import { newId, systemClock, type Log } from '@postern/core'
import { createInboxHealth, createInboxOpener, toProviderKind } from '@postern/inboxes'
import { createDocumentPool, createParsePool, type MailAdapter } from '@postern/mail'
import { noSignatures } from '@postern/outbox'
import { createProviders, type Providers } from '@postern/providers'
import {
  authenticateApiKey,
  createAuditWriter,
  createInboxDirectory,
  createKeyUses,
  createOperationLedger,
  createPolicyDirectory,
  endLeasesOfPredecessors,
  makeLeaseOwner,
  pingDatabase,
  type AuditWriter,
  type Database,
} from '@postern/store'
import { createTools, createWaitPlaces, type ToolDeps, type Tools } from '@postern/tools'
import { bindApprovals, makeApprovalRound } from './bind-approvals.ts'
import { bindOutbox } from './bind-outbox.ts'
import { ConfigError, type GatewayConfig } from './config.ts'
import type { Downloads } from './files/download.ts'
import { createDownloadLinks, type DownloadLinkDeps } from './files/download-links.ts'
import { purgeExpired } from './files/purge-expired.ts'
import { createUploadShelf } from './files/upload-shelf.ts'
import type { Uploads } from './files/upload.ts'
import type { ReadinessCheck } from './health.ts'
import type { ReadGauge } from './metrics.ts'
import { openStore, type Store } from './open-store.ts'
import type { Authenticate } from './plugins/authenticate.ts'
import { createSweep, type Round, type Sweep } from './sweep.ts'

export { openKeyFile } from './key-file.ts'
export { openStore, type OpenStoreOptions, type Store } from './open-store.ts'

/** What a gateway is made of: the ports of `app.ts`, bound. Made once per process, also where it runs several things. */
export interface GatewayParts {
  readonly authenticate: Authenticate
  readonly tools: Tools
  readonly uploads: Uploads
  readonly downloads: Downloads
  readonly checks: readonly ReadinessCheck[]
  readonly gauges: readonly ReadGauge[]
  /** Settles when the embedded database ended by itself: then the process has to end too. */
  readonly lost: Promise<void>
  /** What starts once the address is this process's: nobody else is the one that was here before. */
  begin(): Promise<void>
  /** Hangs up on mail servers, writes what is waiting to be written, then closes the database. */
  close(): Promise<void>
}

export interface OpenPartsOptions {
  /** Whether a database of one's own is brought up to date first. Where several gateways share it, none should. */
  readonly migrates?: boolean
}

/**
 * Binds stores, mailboxes and tools to each other; this file alone knows which ones they are.
 * @throws ConfigError, internal_error, service_busy; the public text says what to do.
 */
export async function openParts(
  config: GatewayConfig,
  log: Log,
  { migrates = true }: OpenPartsOptions = {},
): Promise<GatewayParts> {
  const extraCa = await readAuthorities(config.extraCaFile)
  const store = await openStore(config, log, { migrates })
  const providers = createProviders({ allowPrivateHosts: config.allowsPrivateHosts, extraCa })
  return bind({ config, store, providers, log })
}

/**
 * What the process before this one was called, if there was one: no two that run at once listen at one address. Where
 * any free port will do there is no telling, and the name is this process's own.
 */
function instanceOf({ dataDir, host, port }: GatewayConfig): string {
  return port === 0 ? newId('proc') : [hostname(), dataDir, host, String(port)].join(' ')
}

interface Concrete {
  readonly config: GatewayConfig
  readonly store: Store
  readonly providers: Providers
  readonly log: Log
}

function authenticateBy(
  { database, keyRing }: Store,
  keyUses: ReturnType<typeof createKeyUses>,
): Authenticate {
  return async (token) => {
    const now = systemClock.now()
    const principal = await authenticateApiKey(database, keyRing, token, now)
    keyUses.add(principal.tenantId, principal.principalId, now)
    return principal
  }
}

function bind({ config, store, providers, log }: Concrete): GatewayParts {
  const { database: db, keyRing } = store
  const audit = createAuditWriter(db, log)
  const keyUses = createKeyUses(db, log)
  const health = createInboxHealth(db, log)
  const htmlPool = createParsePool()
  const documentPool = createDocumentPool()
  const inboxes = createInboxDirectory(db)
  const ownerUrl = config.publicUrl ?? `http://${config.host}:${String(config.port)}`
  const opener = createInboxOpener({ db, keyRing, providers, health, ownerUrl })
  const openInbox = (inbox: InboxRecord): Promise<MailAdapter> => opener.open(inbox)
  const lease = { owner: makeLeaseOwner(instanceOf(config)), seconds: config.leaseSeconds }
  const ledger = createOperationLedger({ db, keyRing, clock: systemClock, lease })
  const approvals = bindApprovals(store, ownerUrl)
  const book = emptyBook
  const outbox = bindOutbox({ store, ledger, opener, approvals, book })
  const { uploads, downloads } = bindFiles({ store, ownerUrl }, { inboxes, openInbox })
  const toolDeps: ToolDeps = {
    inboxes,
    openInbox,
    capabilitiesOf: (provider) => providers.capabilities(toProviderKind(provider)),
    htmlPool,
    documentPool,
    audit,
    ledger,
    outbox,
    approvals,
    policies: createPolicyDirectory(db),
    book,
    uploads,
    downloads,
    signatures: noSignatures,
    messageIdSigner: keyRing.signer('ids'),
    cursorSigner: keyRing.signer('cursors'),
    waits: createWaitPlaces(),
    clock: systemClock,
    ownerUrl,
  }
  const sweeps = makeSweeps(db, makeApprovalRound({ store, ledger, outbox, toolDeps, log }), log)
  return {
    authenticate: authenticateBy(store, keyUses),
    tools: createTools(toolDeps),
    uploads,
    downloads,
    checks: [{ name: 'database', run: () => pingDatabase(db) }],
    gauges: gaugesOf(providers, audit),
    lost: store.lost,
    begin: async () => {
      await endLeasesOfPredecessors(db, lease.owner, systemClock.now())
      for (const sweep of sweeps) sweep.start()
    },
    close: async () => {
      await Promise.all(sweeps.map((sweep) => sweep.close()))
      ledger.close()
      // Inboxes first: what they still report is written by the others.
      await Promise.all([providers.close(), htmlPool.close(), documentPool.close()])
      await Promise.all([health.close(), keyUses.close(), audit.close()])
      await store.close()
    },
  }
}

/** What is done when nobody calls. */
function makeSweeps(db: Database, approvals: Round, log: Log): readonly Sweep[] {
  return [
    createSweep({ name: 'approvals', round: approvals, pauseMs: 2_000, log }),
    createSweep({ name: 'files', round: () => purgeExpired(db, systemClock.now()), pauseMs: 600_000, log }),
  ]
}

/** Files on their way in and out. */
function bindFiles(
  { store, ownerUrl }: { readonly store: Store; readonly ownerUrl: string },
  mailboxes: Pick<DownloadLinkDeps, 'inboxes' | 'openInbox'>,
) {
  const { database: db, keyRing } = store
  const clock = systemClock
  return {
    uploads: createUploadShelf({ db, keyRing, clock }),
    downloads: createDownloadLinks({
      ...mailboxes,
      db,
      linkSigner: keyRing.signer('downloads'),
      messageIdSigner: keyRing.signer('ids'),
      clock,
      publicUrl: ownerUrl,
    }),
  }
}

function gaugesOf(providers: Providers, audit: AuditWriter): readonly ReadGauge[] {
  return [
    {
      name: 'postern_imap_connections',
      help: 'Open connections to mail servers',
      read: () => providers.stats().connections,
    },
    {
      name: 'postern_imap_connections_leased',
      help: 'Connections that a call is using',
      read: () => providers.stats().leased,
    },
    {
      name: 'postern_imap_watch_connections',
      help: 'Connections to mail servers that wait for new mail',
      read: () => providers.stats().watching,
    },
    {
      name: 'postern_imap_calls_waiting',
      help: 'Calls that wait for a connection',
      read: () => providers.stats().waiting,
    },
    {
      name: 'postern_audit_events_lost_total',
      help: 'Audit events that could not be written',
      read: () => audit.lost,
    },
  ]
}

async function readAuthorities(path: string | null): Promise<string | undefined> {
  if (path === null) return undefined
  try {
    const text = await readFile(path, 'utf8')
    // Anything else would be taken without a word, and then no server would be trusted.
    if (!text.includes('-----BEGIN CERTIFICATE-----')) throw new TypeError('no certificate in it')
    return text
  } catch {
    throw new ConfigError(['POSTERN_EXTRA_CA_FILE must be: path of a PEM file that this user can read'])
  }
}
