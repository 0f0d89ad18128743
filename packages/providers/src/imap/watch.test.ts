import { silentLog } from '@postern/core'
import {
  answerFrom,
  startScriptedImap,
  type Script,
  type ScriptedAnswer,
  type ScriptedImap,
  type ScriptedMailbox,
} from '@postern/fixtures'
import type { ArrivalPage, Call, FolderMark, MailAdapter } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createImapAdapter, createImapPool, FolderCache, type ImapPool } from './index.ts'
import type { ImapPoolOptions } from './pool.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

interface House {
  readonly server: ScriptedImap
  readonly pool: ImapPool
  readonly mail: MailAdapter
}

async function serve(script: Script, options: Partial<ImapPoolOptions> = {}): Promise<House> {
  const server = await startScriptedImap(script)
  const pool = createImapPool({
    allowPrivateHosts: true,
    pollMs: 200,
    answerMs: 300,
    lingerMs: 100,
    ...options,
  })
  const folders = new FolderCache()
  opened.push(server, pool, { close: async () => folders.close() })
  const credential = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    username: 'u',
    password: 'p',
  } as const
  const account = { inboxId: 'inbox-1', credentialVersion: 1, credential }
  const mail = createImapAdapter({ account, pool, folders, ownerAddresses: [], folderRoles: {} })
  return { server, pool, mail }
}

function call(ms: number): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + ms), log: silentLog }
}

/** Says that it idles, and ends it when DONE comes: the scripted server passes over that bare line. */
const idle: ScriptedAnswer = async (command, { send, ok }) => {
  await send('+ idling\r\n')
  setTimeout(() => void ok(command), 220)
}

const count = ({ server }: House, name: string): number =>
  server.commands.filter((command) => command.startsWith(name)).length

describe('the watch of an inbox', () => {
  test('a server that takes IDLE and tells nothing is asked by NOOP', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [{ uid: 1 }] }
    const house = await serve({ capabilities: 'IDLE', on: { ...answerFrom(mailbox), IDLE: idle } })
    setTimeout(() => mailbox.messages.push({ uid: 2 }), 300)
    const look = async (): Promise<number | null> => (mailbox.messages.length > 1 ? 2 : null)
    assert.equal(await house.mail.waitForChange(['INBOX'], look, call(3_000)), 2)
    assert.ok(count(house, 'IDLE') > 0)
  })

  test('a server without IDLE is asked by NOOP', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [{ uid: 1 }] }
    const house = await serve({ on: answerFrom(mailbox) })
    setTimeout(() => mailbox.messages.push({ uid: 2 }), 300)
    const look = async (): Promise<number | null> => (mailbox.messages.length > 1 ? 2 : null)
    assert.equal(await house.mail.waitForChange(['INBOX'], look, call(3_000)), 2)
    assert.equal(count(house, 'IDLE'), 0)
  })

  test('what IDLE tells is heard at once, and folders are only ever opened to be read', async () => {
    let isThere = false
    const pushing: ScriptedAnswer = async (command, { send, ok }) => {
      await send('+ idling\r\n')
      await sleep(300)
      isThere = true
      await send('* 1 EXISTS\r\n')
      setTimeout(() => void ok(command), 60_000).unref()
    }
    const house = await serve(
      { capabilities: 'IDLE', on: { IDLE: pushing } },
      { pollMs: 20_000, answerMs: 20_000 },
    )
    const startedAt = Date.now()
    const found = await house.mail.waitForChange(
      ['INBOX'],
      async () => (isThere ? 'told' : null),
      call(10_000),
    )
    assert.equal(found, 'told')
    assert.ok(Date.now() - startedAt < 2_000)
    assert.equal(count(house, 'SELECT'), 0)
  })

  test('all who wait in one inbox share one connection, which ends soon after the last of them', async () => {
    const house = await serve({ capabilities: 'IDLE', on: { IDLE: idle } })
    const nothing = async (): Promise<null> => null
    await Promise.all([1, 2, 3].map(() => house.mail.waitForChange(['INBOX'], nothing, call(700))))
    assert.equal(house.server.peak(), 1)
    assert.equal(house.pool.stats().connections, 0, 'none of the leased ones is used')
    await sleep(800)
    assert.equal(house.server.open(), 0)
    assert.equal(house.pool.stats().watching, 0)
  })

  test('who joins a watch that stands looks at once', async () => {
    const house = await serve({ capabilities: 'IDLE', on: { IDLE: idle } })
    const first = house.mail.waitForChange(['INBOX'], async () => null, call(1_500))
    await sleep(500)
    const startedAt = Date.now()
    assert.equal(await house.mail.waitForChange(['INBOX'], async () => 'looked', call(1_000)), 'looked')
    assert.ok(Date.now() - startedAt < 150)
    await first
  })

  test('check 107: a server that falls silent in IDLE is dialled anew within the wait, and the new watch looks', async () => {
    let connections = 0
    const house = await serve({
      capabilities: 'IDLE',
      on: {
        IDLE: async (command, connection) => {
          connections += 1
          if (connections > 1) return idle(command, connection)
          await connection.send('+ idling\r\n')
        },
      },
    })
    const look = async (): Promise<string | null> => (connections > 1 ? 'again' : null)
    assert.equal(await house.mail.waitForChange(['INBOX'], look, call(6_000)), 'again')
  })

  test('a server that takes no further connection leaves everybody looking every few seconds', async () => {
    const house = await serve({ greeting: '* BYE too many connections' })
    let looks = 0
    const look = async (): Promise<null> => {
      looks += 1
      return null
    }
    await house.mail.waitForChange(['INBOX'], look, call(1_500))
    assert.ok(looks >= 3, String(looks))
  })

  test('a credential that was refused is tried once', async () => {
    let logins = 0
    const refuse: ScriptedAnswer = async ({ tag }, { send }) => {
      logins += 1
      await send(`${tag} NO [AUTHENTICATIONFAILED] no\r\n`)
    }
    const house = await serve({ on: { LOGIN: refuse } })
    await house.mail.waitForChange(['INBOX'], async () => null, call(2_500))
    assert.equal(logins, 1)
  })
})

describe('arrivals of a scripted folder', () => {
  const listed = (mail: MailAdapter, marks: readonly FolderMark[], limit = 10): Promise<ArrivalPage> =>
    mail.listArrivals(
      { query: { criterion: { kind: 'all' }, folderIds: ['INBOX'] }, since: new Date(0), marks, limit },
      call(5_000),
    )
  const ids = ({ arrivals }: ArrivalPage): string[] =>
    arrivals.map(({ message }) => /<(\w+)@/.exec(String(message.headers[0]?.value))?.[1] ?? '')
  const at = new Date(Date.UTC(2026, 0, 1))
  const message = (uid: number, name: string) => ({ uid, id: `${name}@scripted.example`, receivedAt: at })

  test('new UIDVALIDITY: what was seen is found again by what it is, and only what is behind it arrives', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [message(5, 'a'), message(9, 'b')] }
    const { mail } = await serve({ on: answerFrom(mailbox) })
    const first = await listed(mail, [])
    assert.deepEqual(ids(first), ['a', 'b'])
    mailbox.uidValidity = 2
    mailbox.messages = [message(1, 'a'), message(2, 'b'), message(3, 'c')]
    const second = await listed(mail, first.marks)
    assert.deepEqual(ids(second), ['c'])
    assert.deepEqual(ids(await listed(mail, second.marks)), [])
  })

  test('new UIDVALIDITY and the last message deleted: the one before it tells', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [message(5, 'a'), message(9, 'b')] }
    const { mail } = await serve({ on: answerFrom(mailbox) })
    const first = await listed(mail, [])
    mailbox.uidValidity = 2
    mailbox.messages = [message(1, 'a'), message(2, 'c')]
    assert.deepEqual(ids(await listed(mail, first.marks)), ['c'])
  })

  test('an empty folder that was made anew gives everything that is in it', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [] }
    const { mail } = await serve({ on: answerFrom(mailbox) })
    const first = await listed(mail, [])
    mailbox.uidValidity = 2
    mailbox.messages = [message(1, 'a')]
    assert.deepEqual(ids(await listed(mail, first.marks)), ['a'])
  })

  test('a page that was cut by its limit goes on behind its last row, in a rebuilt folder too', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const mailbox: ScriptedMailbox = {
      uidValidity: 1,
      messages: names.map((name, index) => message(index + 10, name)),
    }
    const { mail } = await serve({ on: answerFrom(mailbox) })
    const first = await listed(mail, [], 2)
    assert.deepEqual([ids(first), first.hasMore], [['a', 'b'], true])
    mailbox.uidValidity = 2
    mailbox.messages = names.map((name, index) => message(index + 1, name))
    assert.deepEqual(ids(await listed(mail, first.marks)), ['c', 'd', 'e'])
  })

  test('a server that shows none of the messages it counts is out of reach, not empty', async () => {
    const mailbox: ScriptedMailbox = { uidValidity: 1, messages: [{ uid: 1, line: null }] }
    const { mail } = await serve({ on: answerFrom(mailbox) })
    await assert.rejects(listed(mail, []), { code: 'provider_unavailable' })
  })
})
