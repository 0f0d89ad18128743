import { limitImapServer, mailServers, type LimitedImapServer, type TestUser } from '@postern/fixtures'
import {
  compareAnchors,
  type Anchor,
  type Criterion,
  type MailAdapter,
  type MessageRow,
  type SearchPage,
} from '@postern/mail'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { callFor, keyOf, pageOf } from '../contract/mailbox.ts'
import { attachment, multipart, plain, textPart, type ContractMessage } from '../contract/messages.ts'
import { createImapAdapter, createImapPool, FolderCache, type ImapPool } from './index.ts'

const server = mailServers().dovecot
const user: TestUser = server.user(900)
const total = 2_400
const folder = 'INBOX'
const noSort = ['SORT', 'SORT=DISPLAY', 'ESORT', 'ESEARCH']

const pools: ImapPool[] = []
const relays: LimitedImapServer[] = []

function adapterOn(relay: LimitedImapServer): MailAdapter {
  const pool = createImapPool({ allowPrivateHosts: true })
  pools.push(pool)
  const credential = {
    host: '127.0.0.1',
    port: relay.port,
    tls: 'none',
    username: user.username,
    password: user.password,
  } as const
  return createImapAdapter({
    account: { inboxId: randomUUID(), credentialVersion: 1, credential },
    pool,
    folders: new FolderCache(),
    ownerAddresses: [user.email],
    folderRoles: {},
  })
}

async function limited(limits: Parameters<typeof limitImapServer>[1]): Promise<LimitedImapServer> {
  const relay = await limitImapServer(server, limits)
  relays.push(relay)
  return relay
}

/** Spread over four years and out of order, several a day, and a burst of one second. */
function receivedAt(index: number): Date {
  if (index % 40 === 0) return new Date('2025-06-01T12:00:00Z')
  return new Date(Date.UTC(2022, 0, 1) + ((index * 997) % total) * 14.6 * 3_600_000)
}

function messageAt(index: number): ContractMessage {
  const draft = {
    key: `n${String(index)}`,
    receivedAt: receivedAt(index),
    subject: `Number ${String(index)} ${index % 2 === 0 ? 'even' : 'odd'}`,
  }
  if (index % 3 !== 0) return plain(draft)
  return multipart(draft, 'mixed', [
    textPart('See the file.'),
    attachment('application/pdf', `file${String(index)}.pdf`, Uint8Array.of(index % 256)),
  ])
}

async function fill(): Promise<void> {
  const client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    auth: { user: user.username, pass: user.password },
    tls: { ca: await readFile(server.caFile, 'utf8') },
    logger: false,
  })
  await client.connect()
  const encoded = (text: string): string => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`
  for (let index = 0; index < total; index++) {
    const { raw, receivedAt: date } = messageAt(index)
    await client.append(folder, Buffer.from(raw), [], date)
  }
  const wide = plain({ key: 'wide', subject: encoded('\u4f1a\u8bae'), body: 'Z\u00fcrich' })
  await client.append('Archive', Buffer.from(wide.raw), [], wide.receivedAt)
  await client.logout()
}

const everything: Criterion = { kind: 'all' }
const even: Criterion = { kind: 'text', field: 'subject', value: 'even' }
const recent: Criterion = { kind: 'since', at: new Date('2024-01-01T15:00:00Z') }

const search = (adapter: MailAdapter, criterion: Criterion, page = pageOf(50)): Promise<SearchPage> =>
  adapter.searchMessages({ criterion, folderIds: [folder] }, page, callFor())

/** Keys in search order: received last first; of one second in order of arrival, which is that of UIDs. */
function expectedKeys(isWanted: (index: number) => boolean): readonly string[] {
  return Array.from({ length: total }, (_, index) => index)
    .filter(isWanted)
    .sort((a, b) => receivedAt(b).getTime() - receivedAt(a).getTime() || a - b)
    .map((index) => `n${String(index)}`)
}

describe('a search over many messages', () => {
  let sorting: MailAdapter
  let plainServer: MailAdapter
  before(async () => {
    await fill()
    sorting = adapterOn(await limited({}))
    plainServer = adapterOn(await limited({ without: noSort }))
  })
  after(async () => {
    await Promise.all(pools.map((pool) => pool.close()))
    await Promise.all(relays.map((relay) => relay.close()))
  })

  const cases: readonly (readonly [
    name: string,
    criterion: Criterion,
    isWanted: (index: number) => boolean,
  ])[] = [
    ['all', everything, () => true],
    ['half', even, (index) => index % 2 === 0],
    ['a date', recent, (index) => receivedAt(index) >= new Date('2024-01-01T15:00:00Z')],
  ]

  for (const [name, criterion, isWanted] of cases) {
    test(`${name}: a server without SORT and ESEARCH gives the rows of one that has them, at any depth`, async () => {
      const expected = expectedKeys(isWanted)
      for (const adapter of [sorting, plainServer]) {
        for (const offset of [0, 30, 990, expected.length - 20, expected.length]) {
          const page = await search(adapter, criterion, pageOf(40, offset))
          assert.deepEqual(page.messages.map(keyOf), expected.slice(offset, offset + 40), String(offset))
          assert.equal(page.total, expected.length)
          assert.equal(page.hasMore, expected.length > offset + 40)
        }
        const { count } = await adapter.countMessages({ criterion, folderIds: [folder] }, callFor())
        assert.equal(count, expected.length)
      }
    })

    test(`check 41: ${name}: an anchor of another folder has its place between the rows, with SORT and without`, async () => {
      const expected = expectedKeys(isWanted)
      const ordered = (await search(sorting, criterion, pageOf(100, 300))).messages
      for (const row of [ordered[0], ordered[57], ordered[99]]) {
        assert.ok(row)
        // Same instant, a tie that sorts behind every message of this folder, or before it.
        for (const [tie, shift] of [
          ['f'.repeat(52), 1],
          ['0'.repeat(52), 0],
        ] as const) {
          const anchor: Anchor = { ...row.anchor, tie }
          const at: number = expected.filter((key) => {
            const index = Number(key.slice(1))
            const difference: number = receivedAt(index).getTime() - row.anchor.receivedAt.getTime()
            return difference > 0 || (difference === 0 && shift === 1)
          }).length
          for (const adapter of [sorting, plainServer]) {
            const page = await search(adapter, criterion, pageOf(10, 0, anchor))
            assert.deepEqual(page.messages.map(keyOf), expected.slice(at, at + 10))
          }
        }
      }
    })
  }

  test('rows of one second keep one order over pages and servers', async () => {
    const at = new Date('2025-06-01T12:00:00Z')
    const criterion: Criterion = {
      kind: 'and',
      of: [
        { kind: 'since', at },
        { kind: 'before', at: new Date(at.getTime() + 1000) },
      ],
    }
    for (const adapter of [sorting, plainServer]) {
      const seen: MessageRow[] = []
      let anchor: Anchor | null = null
      for (let turn = 0; turn < 20; turn++) {
        const page = await search(adapter, criterion, pageOf(7, 0, anchor))
        seen.push(...page.messages)
        anchor = page.messages.at(-1)?.anchor ?? null
        if (!page.hasMore) break
      }
      assert.equal(seen.length, total / 40)
      assert.ok(
        seen.every(
          (row, index) =>
            index === 0 || compareAnchors(seen[index - 1]?.anchor ?? row.anchor, row.anchor) < 0,
        ),
      )
    }
  })

  test('check 81: attachments of more than 2,000 candidates are checked in part, which is said; a page needs fewer', async () => {
    const file: Criterion = { kind: 'attachment' }
    const expected = expectedKeys((index) => index % 3 === 0)
    for (const adapter of [sorting, plainServer]) {
      const page = await search(adapter, file, pageOf(50))
      assert.deepEqual(page.messages.map(keyOf), expected.slice(0, 50))
      assert.deepEqual([page.degraded, page.total, page.hasMore], [[], null, true])

      const deep = await search(adapter, file, pageOf(100, 750))
      assert.deepEqual(deep.degraded, ['local_limit'])
      assert.equal(deep.total, null)

      const counted = await adapter.countMessages({ criterion: file, folderIds: [folder] }, callFor())
      assert.deepEqual(counted.degraded, ['local_limit'])

      const narrow: Criterion = { kind: 'and', of: [file, even] }
      const exact = await adapter.countMessages({ criterion: narrow, folderIds: [folder] }, callFor())
      assert.deepEqual(
        [exact.count, exact.degraded],
        [expected.filter((key) => Number(key.slice(1)) % 2 === 0).length, []],
      )
    }
  })

  test('a search by sender over one folder costs NOOP in an open folder, one command that finds and sorts, and one FETCH', async () => {
    const relay = await limited({})
    const adapter = adapterOn(relay)
    const sender: Criterion = { kind: 'text', field: 'from', value: 'amy@contract.example' }
    const verbs = async (): Promise<readonly string[]> => {
      const start = relay.commands.length
      await search(adapter, sender, pageOf(20))
      return relay.commands.slice(start).map((command) => command.split(' ').slice(1, 3).join(' '))
    }
    await verbs()
    assert.deepEqual(await verbs(), ['NOOP', 'UID SORT', 'UID FETCH'])
  })

  test('reads EXAMINE and PEEK, and no search writes anything', async () => {
    const relay = await limited({})
    const adapter = adapterOn(relay)
    await search(adapter, { kind: 'and', of: [{ kind: 'attachment' }, recent, even] })
    for (const command of relay.commands) {
      assert.doesNotMatch(command, /^\S+ (?:UID )?(?:SELECT|STORE|APPEND|EXPUNGE|MOVE|COPY|CREATE|CLOSE)\b/)
      assert.doesNotMatch(command.replaceAll('BODY.PEEK[', ''), /BODY\[/)
    }
  })
})

describe('a server that knows no charset but ASCII', () => {
  let adapter: MailAdapter
  let relay: LimitedImapServer
  before(async () => {
    relay = await limited({ isAsciiOnly: true })
    adapter = adapterOn(relay)
  })
  after(async () => {
    await Promise.all(pools.map((pool) => pool.close()))
    await Promise.all(relays.map((one) => one.close()))
  })
  const inArchive = (criterion: Criterion): Promise<SearchPage> =>
    adapter.searchMessages({ criterion, folderIds: ['Archive', 'Sent'] }, pageOf(10), callFor())
  const subject: Criterion = { kind: 'text', field: 'subject', value: '\u4f1a\u8bae' }

  test('check 72: text of headers is found all the same, and counted', async () => {
    const page = await inArchive(subject)
    assert.deepEqual(page.messages.map(keyOf), ['wide'])
    assert.deepEqual([page.degraded, page.total], [[], 1])
    const counted = await adapter.countMessages({ criterion: subject, folderIds: ['Archive'] }, callFor())
    assert.deepEqual([counted.count, counted.degraded], [1, []])
  })

  test('check 72: text of bodies cannot be, which is said; nothing is made up', async () => {
    const body: Criterion = { kind: 'text', field: 'body', value: 'Z\u00fcrich' }
    for (const criterion of [
      body,
      { kind: 'not', of: body } as const,
      { kind: 'and', of: [subject, body] } as const,
    ]) {
      const page = await inArchive(criterion)
      assert.deepEqual(page.messages, [])
      assert.deepEqual(page.degraded, ['charset'])
      const counted = await adapter.countMessages({ criterion, folderIds: ['Archive'] }, callFor())
      assert.deepEqual(counted.degraded, ['charset'])
    }
    const either = await inArchive({ kind: 'or', of: [subject, body] })
    assert.deepEqual(either.messages.map(keyOf), ['wide'])
    assert.deepEqual(either.degraded, ['charset'])
  })

  test('ASCII is left to the server', async () => {
    const start = relay.commands.length
    const page = await inArchive({ kind: 'text', field: 'from', value: 'amy' })
    assert.deepEqual(page.messages.map(keyOf), ['wide'])
    assert.ok(relay.commands.slice(start).some((command) => /FROM "?amy/.test(command)))
  })
})
