import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { InboxRecord } from '@postern/access'
import { Fault, newUuid, silentLog } from '@postern/core'
import {
  answerFrom,
  makeTenant,
  startScriptedImap,
  startTestDatabase,
  type Script,
  type ScriptedImap,
  type TestDatabase,
} from '@postern/fixtures'
import type { Call } from '@postern/mail'
import { createProviders, type Providers } from '@postern/providers'
import { getInbox, getSealed, listInboxes, setInboxStatus, withOwner, withTenant } from '@postern/store'
import { changeInbox } from './change-inbox.ts'
import { connectInbox, type ConnectRequest } from './connect-inbox.ts'
import { disconnectInbox } from './disconnect-inbox.ts'
import { createInboxHealth, type InboxHealth } from './inbox-health.ts'
import { createInboxOpener, type InboxOpener } from './open-inbox.ts'

let database: TestDatabase
let providers: Providers
let health: InboxHealth
let opener: InboxOpener
const servers: ScriptedImap[] = []

before(async () => {
  database = await startTestDatabase()
  providers = createProviders({ allowPrivateHosts: true })
  const { db, keyRing } = database
  health = createInboxHealth(db, silentLog)
  opener = createInboxOpener({ db, keyRing, providers, health, ownerUrl: 'https://owner.example' })
})

after(async () => {
  await providers.close()
  await health.close()
  await database.close()
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const mailbox = answerFrom({ uidValidity: 1, messages: [{ uid: 1 }] })

async function serve(script: Script = {}): Promise<ScriptedImap> {
  const server = await startScriptedImap({ ...script, on: { ...mailbox, ...script.on } })
  servers.push(server)
  return server
}

/** A server that lets nobody in as long as `isClosed`. */
async function serveWithLock(): Promise<{ server: ScriptedImap; lock: { isClosed: boolean } }> {
  const lock = { isClosed: false }
  const server = await serve({
    capabilities: 'IMAP4rev1 LITERAL+',
    on: {
      LOGIN: async (command, { send, ok }) => {
        if (lock.isClosed)
          await send(`${command.tag} NO [AUTHENTICATIONFAILED] the secret words of the server\r\n`)
        else await ok(command)
      },
    },
  })
  return { server, lock }
}

const call = (): Call => ({
  signal: new AbortController().signal,
  deadline: new Date(Date.now() + 20_000),
  log: silentLog,
})

function imap(tenantId: string, port: number, given: Partial<ConnectRequest> = {}): ConnectRequest {
  const credential = { host: '127.0.0.1', port, tls: 'none', username: 'ada', password: 'canary-password' }
  return { tenantId, provider: 'imap', emailAddress: 'Ada@example.test', credential, ...given }
}

const connect = async (request: ConnectRequest): Promise<InboxRecord> =>
  (await connectInbox({ ...database, providers }, request, call())).inbox

const read = (tenantId: string, inboxId: string): Promise<InboxRecord> =>
  withTenant(database.db, tenantId, (trx) => getInbox(trx, inboxId))

const inboxesOf = (tenantId: string): Promise<readonly InboxRecord[]> =>
  withTenant(database.db, tenantId, listInboxes)

const faulty =
  (code: string, details: Readonly<Record<string, unknown>> = {}) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, code)
    for (const [name, value] of Object.entries(details)) assert.deepEqual(error.details[name], value)
    assert.equal(JSON.stringify([error.public, error.details]).includes('canary-password'), false)
    return true
  }

test('an inbox that could be reached is stored, and opens without being asked for its password again', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port, { timezone: 'europe/london', language: 'EN-gb' }))
  assert.deepEqual(
    [inbox.status, inbox.emailAddress, inbox.credentialVersion, inbox.timezone, inbox.language],
    ['connected', 'Ada@example.test', 1, 'Europe/London', 'en-GB'],
  )
  assert.deepEqual(await inboxesOf(tenantId), [inbox])
  const mail = await opener.open(inbox)
  const { messages } = await mail.listMessages(
    'INBOX',
    { isUnreadOnly: false },
    { limit: 5, offset: 0, after: null },
    call(),
  )
  assert.equal(messages.length, 1)
  await mail.close()
})

test('opening dials nothing', async () => {
  const tenantId = await makeTenant(database.db)
  const server = await serve()
  const inbox = await connect(imap(tenantId, server.port))
  const said = server.commands.length
  await (await opener.open(inbox)).close()
  assert.equal(server.commands.length, said)
})

test('a connection test that fails says at which step, and changes nothing', async () => {
  const tenantId = await makeTenant(database.db)
  const { server, lock } = await serveWithLock()
  lock.isClosed = true
  await assert.rejects(connect(imap(tenantId, server.port)), faulty('provider_error', { step: 'login' }))
  await server.close()
  servers.splice(0)
  await assert.rejects(connect(imap(tenantId, server.port)), faulty('provider_error', { step: 'tcp' }))
  assert.deepEqual(await inboxesOf(tenantId), [])
})

test('a reconnection that fails leaves the working credential in place', async () => {
  const tenantId = await makeTenant(database.db)
  const { server, lock } = await serveWithLock()
  const inbox = await connect(imap(tenantId, server.port))
  const sealed = await getSealed(database.db, tenantId, inbox.inboxId, 'mail')
  lock.isClosed = true
  await assert.rejects(connect(imap(tenantId, server.port)), faulty('provider_error'))
  assert.deepEqual(await getSealed(database.db, tenantId, inbox.inboxId, 'mail'), sealed)
  assert.deepEqual(await read(tenantId, inbox.inboxId), inbox)
})

test('connecting an address again keeps its id and settings, replaces the credential and hangs up the old one', async () => {
  const tenantId = await makeTenant(database.db)
  const [first, second] = [await serve(), await serve()]
  const inbox = await connect(imap(tenantId, first.port, { displayName: 'Ada' }))
  const mail = await opener.open(inbox)
  await mail.listFolders('known', call())
  assert.equal(first.open(), 1)
  const request = imap(tenantId, second.port, { emailAddress: 'ADA@EXAMPLE.test', displayName: 'Other' })
  const again = await connectInbox({ ...database, providers }, request, call())
  assert.equal(again.isReconnected, true)
  assert.deepEqual(
    [again.inbox.inboxId, again.inbox.credentialVersion, again.inbox.displayName],
    [inbox.inboxId, 2, 'Ada'],
  )
  const reopened = await opener.open(again.inbox)
  await reopened.listFolders('known', call())
  assert.equal(second.open(), 1)
  const end = Date.now() + 5_000
  while (first.open() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(first.open(), 0)
})

test('a mailbox that refuses its credential asks for its owner, in our words, until it is connected again (check 55)', async () => {
  const tenantId = await makeTenant(database.db)
  const { server, lock } = await serveWithLock()
  const inbox = await connect(imap(tenantId, server.port))
  const mail = await opener.open(inbox)
  lock.isClosed = true
  await assert.rejects(mail.listFolders('known', call()), faulty('inbox_reconnect_required'))
  let marked = await read(tenantId, inbox.inboxId)
  for (let wait = 0; wait < 200 && marked.status === 'connected'; wait += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    marked = await read(tenantId, inbox.inboxId)
  }
  assert.equal(marked.status, 'reconnect_required')
  assert.ok(marked.statusReason)
  assert.equal(marked.statusReason.includes('secret words'), false)
  await assert.rejects(
    opener.open(marked),
    faulty('inbox_reconnect_required', { reconnect_url: 'https://owner.example' }),
  )
  lock.isClosed = false
  const again = await connect(imap(tenantId, server.port))
  assert.deepEqual([again.status, again.statusReason], ['connected', null])
  await (await opener.open(again)).listFolders('known', call())
})

test('a failure of the old credential that arrives late does not mark the new one', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  await connect(imap(tenantId, port))
  const own = createInboxHealth(database.db, silentLog)
  own.of(inbox).failed(new Fault('inbox_reconnect_required', { public: 'late' }))
  await own.close()
  assert.equal((await read(tenantId, inbox.inboxId)).status, 'connected')
})

test('a failure that is not about the credential leaves the status alone', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  const own = createInboxHealth(database.db, silentLog)
  for (const code of ['provider_unavailable', 'timeout', 'provider_error'] as const) {
    own.of(inbox).failed(new Fault(code, { public: 'x' }))
  }
  await own.close()
  assert.deepEqual(await read(tenantId, inbox.inboxId), inbox)
})

test('when a mailbox answered last is to be seen, and a failure does not count (check 248)', async () => {
  const tenantId = await makeTenant(database.db)
  const server = await serve()
  const inbox = await connect(imap(tenantId, server.port))
  assert.equal(inbox.lastEventAt, null)
  const { db, keyRing } = database
  const own = createInboxHealth(db, silentLog)
  const watched = createInboxOpener({
    db,
    keyRing,
    providers,
    health: own,
    ownerUrl: 'https://owner.example',
  })
  const mail = await watched.open(inbox)
  const start = Date.now()
  await mail.listFolders('known', call())
  await own.close()
  const { lastEventAt } = await read(tenantId, inbox.inboxId)
  assert.ok(lastEventAt !== null && lastEventAt.getTime() >= start)

  await server.close()
  servers.splice(0)
  const later = createInboxHealth(db, silentLog)
  const deaf = createInboxOpener({ db, keyRing, providers, health: later, ownerUrl: 'https://owner.example' })
  const unheard = await deaf.open(inbox)
  const page = { limit: 5, offset: 0, after: null }
  await assert.rejects(unheard.listMessages('INBOX', { isUnreadOnly: false }, page, call()), Fault)
  await later.close()
  assert.deepEqual((await read(tenantId, inbox.inboxId)).lastEventAt, lastEventAt)
})

test('a disconnected inbox is forgotten with its credential, and its connections are closed', async () => {
  const tenantId = await makeTenant(database.db)
  const server = await serve()
  const inbox = await connect(imap(tenantId, server.port))
  await (await opener.open(inbox)).listFolders('known', call())
  await disconnectInbox({ ...database, providers }, tenantId, inbox.inboxId)
  assert.deepEqual(await inboxesOf(tenantId), [])
  assert.equal(await getSealed(database.db, tenantId, inbox.inboxId, 'mail'), null)
  const end = Date.now() + 5_000
  while (server.open() > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(server.open(), 0)
  await assert.rejects(
    disconnectInbox({ ...database, providers }, tenantId, inbox.inboxId),
    faulty('inbox_not_found'),
  )
})

test("another tenant's inbox is disconnected and changed by nobody (check 15)", async () => {
  const [owner, intruder] = [await makeTenant(database.db), await makeTenant(database.db)]
  const { port } = await serve()
  const inbox = await connect(imap(owner, port))
  await assert.rejects(
    disconnectInbox({ ...database, providers }, intruder, inbox.inboxId),
    faulty('inbox_not_found'),
  )
  await assert.rejects(
    changeInbox(database.db, intruder, inbox.inboxId, { language: 'de' }),
    faulty('inbox_not_found'),
  )
  assert.deepEqual(await read(owner, inbox.inboxId), inbox)
})

test('an inbox that was switched off does not open, and connecting it again does not switch it on', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  await withTenant(database.db, tenantId, (trx) =>
    setInboxStatus(trx, inbox.inboxId, { status: 'disabled', reason: null }),
  )
  const off = await read(tenantId, inbox.inboxId)
  await assert.rejects(opener.open(off), faulty('inbox_disabled'))
  await assert.rejects(connect(imap(tenantId, port)), faulty('inbox_disabled'))
  assert.deepEqual(await read(tenantId, inbox.inboxId), off)
})

test('an inbox without a credential, or of a kind of a later release, does not open', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  await assert.rejects(opener.open({ ...inbox, provider: 'jmap' }), faulty('internal_error'))
  await assert.rejects(opener.open({ ...inbox, inboxId: newUuid() }), faulty('inbox_reconnect_required'))
})

test('one address cannot be two kinds of inbox', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  const sandbox: ConnectRequest = {
    tenantId,
    provider: 'sandbox',
    emailAddress: 'ada@example.test',
    credential: { startedAt: '2026-11-30T00:00:00Z' },
  }
  await assert.rejects(connect(sandbox), faulty('invalid_arguments', { inbox_id: inbox.inboxId }))
})

test('settings that cannot be stored are refused by name before anything is dialled', async () => {
  const tenantId = await makeTenant(database.db)
  const server = await serve()
  const refused: readonly (readonly [string, Partial<ConnectRequest>])[] = [
    ['email_address', { emailAddress: 'no address' }],
    ['email_address', { emailAddress: 'ada@example.test\r\nRCPT TO:<x@example.test>' }],
    ['email_address', { emailAddress: `${'a'.repeat(65)}@example.test` }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+01:00' }],
    ['language', { language: 'not a language' }],
    ['display_name', { displayName: 'two\nlines' }],
    ['aliases', { aliases: ['x'] }],
    ['aliases', { aliases: Array.from({ length: 101 }, (_, index) => `a${String(index)}@example.test`) }],
    ['authserv_ids', { authservIds: ['mx example'] }],
    ['credential', { credential: { host: '127.0.0.1', password: 'canary-password' } }],
    ['credential', { credential: null }],
  ]
  for (const [argument, given] of refused) {
    await assert.rejects(
      connect(imap(tenantId, server.port, given)),
      faulty('invalid_arguments', { argument }),
      JSON.stringify(given),
    )
  }
  assert.deepEqual(server.commands, [])
  assert.deepEqual(await inboxesOf(tenantId), [])
})

test('a changed zone and language are stored in their canonical spelling, and a bad one changes nothing', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  const inbox = await connect(imap(tenantId, port))
  const { db } = database
  const changed = await changeInbox(db, tenantId, inbox.inboxId, {
    timezone: 'asia/tokyo',
    language: 'PT-br',
  })
  assert.deepEqual(changed, { ...inbox, timezone: 'Asia/Tokyo', language: 'pt-BR' })
  await assert.rejects(
    changeInbox(db, tenantId, inbox.inboxId, { timezone: 'Europe/Berlin', language: '??' }),
    faulty('invalid_arguments', { argument: 'language' }),
  )
  await assert.rejects(
    changeInbox(db, tenantId, inbox.inboxId, { folderRoles: { attic: 'Old' } }),
    faulty('invalid_arguments', { argument: 'folder_roles' }),
  )
  assert.deepEqual(await read(tenantId, inbox.inboxId), changed)
})

test('no table holds a password in clear', async () => {
  const tenantId = await makeTenant(database.db)
  const { port } = await serve()
  await connect(imap(tenantId, port))
  const rows = await withOwner(
    database.superuserUrl,
    async (client) =>
      (
        await client.query<{ text: string }>(
          `select coalesce((select string_agg(i::text, ' ') from inboxes i), '') ||
                coalesce((select string_agg(encode(envelope, 'escape'), ' ') from credentials), '') as text`,
        )
      ).rows,
  )
  assert.equal(rows[0]?.text.includes('Ada@example.test'), true)
  assert.equal(rows[0]?.text.includes('canary-password'), false)
})

test('a sandbox needs no server', async () => {
  const tenantId = await makeTenant(database.db)
  const inbox = await connect({
    tenantId,
    provider: 'sandbox',
    emailAddress: 'sandbox@example.test',
    credential: { startedAt: '2026-11-30T00:00:00Z' },
  })
  const mail = await opener.open(inbox)
  assert.ok((await mail.listFolders('known', call())).length > 3)
  await mail.close()
})
