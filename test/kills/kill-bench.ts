import { readFile, chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { allScopes } from '@postern/access'
import { newUuid, silentLog } from '@postern/core'
import {
  mailServers,
  submissionServer,
  makeTenant,
  type MailServerName,
  type TestUser,
} from '@postern/fixtures'
import {
  addInbox,
  credentialContext,
  issueApiKey,
  migrate,
  openDatabase,
  removeEmbedded,
  saveCredential,
  startEmbedded,
  withOwner,
  withTenant,
  type Database,
} from '@postern/store'
import { createKeyRing, generateKey, seal, type KeyRing } from '@postern/vault'
import { ImapFlow } from 'imapflow'
import { callTool, type ToolAnswer } from './call-tool.ts'
import { makeGatewayProcess, type GatewayProcess } from './gateway-process.ts'
import { startHoldProxy, type HoldProxy } from './hold-proxy.ts'

/** The service in a process of its own, on a database that waits for the disk, with an inbox on real mail servers. */
export interface KillBench {
  readonly gateway: GatewayProcess
  readonly imap: HoldProxy
  readonly smtp: HoldProxy
  readonly owner: TestUser
  readonly friend: TestUser
  /** One call; throws where the service went away under it. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
  /** The same until the service answers it for good: it may be away, or say that the first call is still at work. */
  insist(tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
  /** From when this settles on a write stands still before it leaves its first stage. */
  armClaim(): Promise<void>
  /** Settles once one stands still. */
  claimHeld(): Promise<void>
  releaseClaim(): Promise<void>
  /** A connection to somebody's mailbox that goes past the service. */
  open(user: TestUser): Promise<ImapFlow>
  close(): Promise<void>
}

const leaseSeconds = 2

/** @param name the server on which the inbox is; the recipient's is on the one that mail is delivered to. */
export async function startKillBench(name: MailServerName = 'dovecot'): Promise<KillBench> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-kills-'))
  await chmod(folder, 0o711) // the system user who runs the database has to get through
  const dataDir = join(folder, 'data')
  const server = await startEmbedded({ dataDir, log: silentLog, settings: { fsync: 'on' } })
  const secretKeys = generateKey()
  const keyRing = createKeyRing(secretKeys)
  await migrate(server.ownerUrl, { keyRing })
  const db = await openDatabase({ url: server.ownerUrl, keyRing, maxConnections: 2 })
  const { dovecot, [name]: own } = mailServers()
  const submission = submissionServer()
  const caPem = await readFile(dovecot.caFile, 'utf8')
  const imap = await startHoldProxy({ host: own.host, port: own.imapsPort, caPem })
  const smtp = await startHoldProxy({ host: submission.host, port: submission.submissionsPort, caPem })
  const [owner, friend] = [own.user(1), dovecot.user(2)]
  const key = await connectInbox({ db, keyRing }, owner, { imapPort: imap.port, smtpPort: smtp.port })
  const gateway = await makeGatewayProcess({
    DATABASE_URL: server.ownerUrl,
    POSTERN_SECRET_KEYS: secretKeys,
    POSTERN_DATA_DIR: join(folder, 'service'),
    POSTERN_ALLOW_PRIVATE_HOSTS: '1',
    POSTERN_LEASE_SECONDS: String(leaseSeconds),
    ...limits,
  })
  await gateway.start()
  const superuserUrl = inDatabaseOf(server.superuserUrl, server.ownerUrl)
  await prepareHold(superuserUrl)
  const call = (tool: string, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> =>
    callTool(gateway.url, key, tool, args)
  return {
    gateway,
    imap,
    smtp,
    owner,
    friend,
    call,
    insist: (tool, args) => insist(() => call(tool, args)),
    armClaim: () => withOwner(superuserUrl, (client) => armClaim(client)),
    claimHeld: () => withOwner(superuserUrl, (client) => untilHeld(client)),
    releaseClaim: () => releaseClaim(superuserUrl),
    async open({ username, password }) {
      const { host, imapsPort } = username === owner.username ? own : dovecot
      const client = new ImapFlow({
        host,
        port: imapsPort,
        secure: true,
        tls: { ca: caPem },
        auth: { user: username, pass: password },
        logger: false,
      })
      await client.connect()
      return client
    },
    async close() {
      await gateway.stop()
      await Promise.all([imap.close(), smtp.close(), db.close()])
      await server.stop()
      await removeEmbedded(dataDir)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function inDatabaseOf(url: string, other: string): string {
  const changed = new URL(url)
  changed.pathname = new URL(other).pathname
  return changed.href
}

/** Raised, so that a test is not refused for what it repeats. */
const limits = {
  POSTERN_KEY_CALLS_PER_MINUTE: '1000000',
  POSTERN_KEY_CALLS_PER_HOUR: '1000000',
  POSTERN_KEY_CALLS_PER_DAY: '1000000',
  POSTERN_TENANT_CALLS_PER_MINUTE: '1000000',
}

/** @returns a key that may do everything. */
async function connectInbox(
  { db, keyRing }: { readonly db: Database; readonly keyRing: KeyRing },
  { email, username, password }: TestUser,
  ports: { readonly imapPort: number; readonly smtpPort: number },
): Promise<string> {
  const tenantId = await makeTenant(db)
  const inboxId = newUuid()
  const near = { host: '127.0.0.1', tls: 'none' } as const
  const credential = {
    ...near,
    port: ports.imapPort,
    username,
    password,
    smtp: { ...near, port: ports.smtpPort },
  }
  const context = credentialContext(tenantId, inboxId, 'mail')
  const envelope = seal(keyRing, Buffer.from(JSON.stringify(credential)), context)
  await withTenant(db, tenantId, async (trx) => {
    await addInbox(trx, { inboxId, provider: 'imap', emailAddress: email })
    await saveCredential(trx, inboxId, 'mail', envelope)
  })
  const request = { name: 'kills', scopes: allScopes, inboxIds: null, expiresAt: null }
  return (await issueApiKey(db, keyRing, tenantId, request)).key
}

const patienceMs = 60_000

async function insist(call: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  const until = Date.now() + patienceMs
  for (;;) {
    const answer = await call().catch((error: unknown) => {
      if (Date.now() > until) throw error
      return null
    })
    if (answer !== null && answer.error?.['error_code'] !== 'operation_in_progress') return answer
    if (Date.now() > until) throw new Error('the first call never ended')
    await sleep(100)
  }
}

/** Whoever sets a stage while `kills` says so waits in the database, and has committed nothing of it. */
async function prepareHold(superuserUrl: string): Promise<void> {
  await withOwner(superuserUrl, (client) =>
    client.query(`
      create table postern.kills (is_on boolean not null);
      insert into postern.kills values (false);
      create function postern.kills_hold() returns trigger language plpgsql security definer as $$
      begin
        if old.stage = 'claim' and new.stage <> 'claim' and (select is_on from postern.kills) then
          perform pg_sleep(600);
        end if;
        return new;
      end $$;
      create trigger kills_hold before update on postern.operations
        for each row execute function postern.kills_hold()`),
  )
}

type OwnerClient = Parameters<Parameters<typeof withOwner>[1]>[0]

async function armClaim(client: OwnerClient): Promise<void> {
  await client.query('update postern.kills set is_on = true')
}

async function untilHeld(client: OwnerClient): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    const { rowCount } = await client.query(`select from pg_stat_activity where wait_event = 'PgSleep'`)
    if (rowCount !== null && rowCount > 0) return
    if (Date.now() > until) throw new Error('no write stood still')
    await sleep(10)
  }
}

/** The server would notice only after the sleep that its client is gone, and hold the row until then. */
async function releaseClaim(superuserUrl: string): Promise<void> {
  await withOwner(superuserUrl, async (client) => {
    await client.query('update postern.kills set is_on = false')
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'`)
  })
}
