import { Fault } from '@postern/core'
import {
  limitImapServer,
  mailServers,
  startScriptedImap,
  type ImapLimits,
  type MailServerName,
  type ScriptedAnswer,
} from '@postern/fixtures'
import { findHeader, type MailAdapter, type MessageRef, type Thread } from '@postern/mail'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { callFor, pageOf } from '../contract/mailbox.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

function adapterFor(port: number, username: string, password: string): MailAdapter {
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  opened.push(pool, folders)
  return createImapAdapter({
    account: {
      inboxId: `inbox-${port}-${username}`,
      credentialVersion: 1,
      credential: { host: '127.0.0.1', port, tls: 'none', username, password },
    },
    pool,
    folders,
    ownerAddresses: ['me@home.example'],
    folderRoles: {},
  })
}

/** `INBOX/name` or `folder/name` of each message, oldest first. */
function namesOf({ messages }: Thread): readonly string[] {
  return messages.map(({ headers }) => /<([^@]*)@/.exec(findHeader(headers, 'Message-ID') ?? '')?.[1] ?? '')
}

interface Mail {
  readonly name: string
  readonly refs?: readonly string[]
  readonly inReplyTo?: string
  readonly subject?: string
  readonly from?: string
}

function headerOf({ name, refs = [], inReplyTo, subject = 'Plan', from = 'amy@x.example' }: Mail): string {
  const idOf = (each: string): string => `<${each}@thread.example>`
  return [
    `From: ${from}`,
    'To: me@home.example',
    `Subject: ${subject}`,
    'Date: Mon, 04 May 2026 08:00:00 +0000',
    `Message-ID: ${idOf(name)}`,
    ...(refs.length === 0 ? [] : [`References: ${refs.map(idOf).join(' ')}`]),
    ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${idOf(inReplyTo)}`]),
    '',
    '',
  ].join('\r\n')
}

let users = 60

describe('a conversation on a real server that lacks something', () => {
  interface Bench {
    readonly commands: () => readonly string[]
    readonly thread: (name: string) => Promise<Thread>
  }

  const bench = async (
    name: MailServerName,
    limits: ImapLimits,
    mails: Readonly<Record<string, readonly Mail[]>>,
  ): Promise<Bench> => {
    const server = mailServers()[name]
    const relay = await limitImapServer(server, limits)
    opened.push(relay)
    users += 1
    const { username, password } = server.user(users)
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: relay.port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: username, pass: password },
      logger: false,
    })
    await client.connect()
    for (const [folder, list] of Object.entries(mails)) {
      const made = folder === 'INBOX' ? { path: 'INBOX' } : await client.mailboxCreate(folder)
      for (const [n, mail] of list.entries())
        await client.append(made.path, `${headerOf(mail)}Body.\r\n`, [], new Date(Date.UTC(2026, 4, 4, 8, n)))
    }
    await client.logout()
    const adapter = adapterFor(relay.port, username, password)
    const page = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(50), callFor())
    await adapter.listFolders('known', callFor())
    relay.commands.slice()
    return {
      commands: () => relay.commands.map((line) => line.replace(/^\S+ /, '')),
      thread: (wanted) => {
        const row = page.messages.find(
          ({ message }) => findHeader(message.headers, 'Message-ID') === `<${wanted}@thread.example>`,
        )
        return adapter.listThread(row?.message.ref ?? assert.fail('no such message'), callFor())
      },
    }
  }

  const conversation = {
    INBOX: [
      { name: 'a' },
      { name: 'c', refs: ['a', 'b'], subject: 'Something else entirely' },
      { name: 'loose', subject: 'Re: Plan' },
    ],
    Elsewhere: [
      { name: 'b', refs: ['a'], subject: 'Re: Plan' },
      { name: 'd', inReplyTo: 'c' },
    ],
  }

  for (const [server, without] of [
    ['dovecot', ['THREAD=REFERENCES', 'THREAD=REFS', 'THREAD=ORDEREDSUBJECT', 'ESEARCH', 'SORT']],
    ['cyrus', ['COMPRESS=DEFLATE', 'OBJECTID', 'THREAD=REFERENCES', 'THREAD=REFS', 'THREAD=ORDEREDSUBJECT']],
    ['courier', ['THREAD=REFERENCES', 'THREAD=ORDEREDSUBJECT', 'UTF8=ACCEPT']],
  ] as const) {
    test(`${server} without THREAD and OBJECTID: found by headers alone, and no body is looked at`, async () => {
      const { thread, commands } = await bench(server, { without }, conversation)
      const found = await thread('c')
      assert.deepEqual(namesOf(found).toSorted(), ['a', 'b', 'c', 'd', 'loose'])
      assert.deepEqual([found.isComplete, found.nativeThreadId], [true, null])
      const sent = commands().filter((line) => /^UID SEARCH|FETCH/.test(line))
      assert.ok(sent.some((line) => line.includes('HEADER References "<a@thread.example>"')))
      for (const line of sent)
        assert.doesNotMatch(line, /\b(?:BODY|TEXT) "|BODY\.PEEK\[\]|BODY\[|THREAD REFERENCES|RFC822[^.]/)
    })
  }

  test('dovecot that takes no UTF-8: the headers tell all they can, and the rest is said to be missing', async () => {
    const subject = '=?utf-8?Q?Gr=C3=BC=C3=9Fe?='
    const { thread } = await bench(
      'dovecot',
      { isAsciiOnly: true },
      {
        INBOX: [
          { name: 'a', subject },
          { name: 'b', refs: ['a'] },
          { name: 'loose', subject: `Re: ${subject}` },
        ],
      },
    )
    const found = await thread('a')
    assert.deepEqual([namesOf(found), found.isComplete], [['a', 'b'], false])
  })
})

interface Folder {
  readonly name: string
  readonly attributes?: string
  /** A command that it answers with NO. */
  readonly refuses?: 'EXAMINE' | 'UID SEARCH'
  readonly mails: readonly (Mail & { readonly threadId?: string })[]
}

interface ScriptedBench {
  readonly adapter: MailAdapter
  readonly ref: MessageRef
  readonly commands: () => readonly string[]
}

/** A server over these folders: it finds what holds one of the quoted ids or the thread id of a SEARCH. */
async function scripted(folders: readonly Folder[], capabilities?: string): Promise<ScriptedBench> {
  let selected: Folder | undefined
  const search: ScriptedAnswer = async (command, { send, ok }) => {
    if (selected?.refuses === 'UID SEARCH') return send(`${command.tag} NO not here\r\n`)
    const ids = command.args.match(/<[^>]+>/g) ?? []
    const threadId = /THRID (\d+)|THREADID (\S+)/.exec(command.args)
    const found = (selected?.mails ?? []).flatMap((mail, index) =>
      ids.some((id) => headerOf(mail).includes(id)) ||
      (mail.threadId !== undefined && threadId?.includes(mail.threadId) === true)
        ? [index + 1]
        : [],
    )
    await send(`* SEARCH ${found.join(' ')}\r\n`)
    await ok(command)
  }
  const fetch: ScriptedAnswer = async (command, { send, ok }) => {
    const wanted = /^\S+/.exec(command.args)?.[0] ?? ''
    for (const [index, mail] of (selected?.mails ?? []).entries()) {
      if (!isIn(index + 1, wanted)) continue
      const header = headerOf(mail)
      const time = String(index % 60).padStart(2, '0')
      const thread = mail.threadId === undefined ? '' : ` ${threadItem(capabilities)} ${mail.threadId}`
      await send(
        `* ${index + 1} FETCH (UID ${index + 1} FLAGS () INTERNALDATE "04-May-2026 08:${time}:00 +0000" RFC822.SIZE ${header.length}${thread} BODY[HEADER.FIELDS (x)]<0> {${header.length}}\r\n${header})\r\n`,
      )
    }
    await ok(command)
  }
  const server = await startScriptedImap({
    ...(capabilities === undefined ? {} : { capabilities }),
    on: {
      LIST: async (command, { send, ok }) => {
        for (const { name, attributes = '' } of folders)
          await send(`* LIST (${attributes}) "/" "${name}"\r\n`)
        await ok(command)
      },
      EXAMINE: async (command, { send, ok }) => {
        selected = folders.find(({ name }) => command.args.includes(name))
        if (selected?.refuses === 'EXAMINE') return send(`${command.tag} NO not here\r\n`)
        await send(`* ${selected?.mails.length ?? 0} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n`)
        await ok(command)
      },
      'UID SEARCH': search,
      'UID FETCH': fetch,
      FETCH: fetch,
    },
  })
  opened.push(server)
  const adapter = adapterFor(server.port, 'u', 'p')
  await adapter.listFolders('known', callFor())
  const first = folders.find(({ mails }) => mails.length > 0)?.name ?? 'INBOX'
  const page = await adapter.listMessages(first, { isUnreadOnly: false }, pageOf(100), callFor())
  server.commands.splice(0)
  return {
    adapter,
    ref: page.messages.at(-1)?.message.ref ?? assert.fail('no message'),
    commands: () => server.commands.splice(0),
  }
}

function threadItem(capabilities = ''): string {
  return capabilities.includes('X-GM-EXT-1') ? 'X-GM-THRID' : 'THREADID'
}

function isIn(number: number, set: string): boolean {
  return set.split(',').some((range) => {
    const [first = 0, last = first] = range.split(':').map(Number)
    return number >= first && number <= last
  })
}

describe('a conversation on a server that does as it is told', () => {
  test("in Gmail's way is one search by its own id, in the folder that holds everything", async () => {
    const { adapter, ref, commands } = await scripted(
      [
        { name: 'INBOX', mails: [{ name: 'a', threadId: '17' }] },
        {
          name: 'All',
          attributes: '\\All',
          mails: [
            { name: 'a', threadId: '17' },
            { name: 'b', threadId: '17' },
            { name: 'c', threadId: '18' },
          ],
        },
      ],
      'X-GM-EXT-1',
    )
    const found = await adapter.listThread(ref, callFor())
    assert.deepEqual([found.nativeThreadId, namesOf(found), found.isComplete], ['17', ['a', 'b'], true])
    assert.deepEqual(
      commands().filter((line) => line.startsWith('UID SEARCH')),
      ['UID SEARCH X-GM-THRID 17'],
    )
    assert.deepEqual(namesOf(await adapter.listThread({ nativeThreadId: '18' }, callFor())), ['c'])
  })

  test('an id of a conversation that could be a piece of a command never reaches the server', async () => {
    const { adapter, commands } = await scripted(
      [{ name: 'INBOX', mails: [{ name: 'a', threadId: 'T1' }] }],
      'OBJECTID',
    )
    for (const nativeThreadId of ['T1 OR ALL', 'x)\r\nA1 LOGOUT', '"', ''])
      await assert.rejects(
        adapter.listThread({ nativeThreadId }, callFor()),
        (error) => error instanceof Fault && error.code === 'message_not_found',
      )
    assert.ok(commands().every((line) => !line.startsWith('UID SEARCH')))
  })

  test('a folder that cannot be searched is missing, and the conversation says so', async () => {
    const { adapter, ref } = await scripted([
      { name: 'INBOX', mails: [{ name: 'a' }, { name: 'b', refs: ['a'] }] },
      { name: 'Closed', refuses: 'EXAMINE', mails: [{ name: 'c', refs: ['a'] }] },
      { name: 'Deaf', refuses: 'UID SEARCH', mails: [{ name: 'd', refs: ['a'] }] },
      { name: 'Work', mails: [{ name: 'e', refs: ['a'] }] },
    ])
    const found = await adapter.listThread(ref, callFor())
    assert.deepEqual([namesOf(found), found.isComplete], [['a', 'e', 'b'], false])
  })

  test('where no folder can be searched it is an error, not a conversation of one', async () => {
    const { adapter, ref } = await scripted([
      { name: 'INBOX', refuses: 'UID SEARCH', mails: [{ name: 'a' }] },
    ])
    await assert.rejects(
      adapter.listThread(ref, callFor()),
      (error) => error instanceof Fault && error.code === 'provider_error',
    )
  })

  test('found late is asked for once more in the folders before, and nothing is asked twice', async () => {
    const { adapter, ref, commands } = await scripted([
      { name: 'INBOX', mails: [{ name: 'a' }, { name: 'c', inReplyTo: 'b' }] },
      { name: 'Work', mails: [{ name: 'b', refs: ['a'] }] },
    ])
    const found = await adapter.listThread(ref, callFor())
    assert.deepEqual([namesOf(found).toSorted(), found.isComplete], [['a', 'b', 'c'], true])
    let folder = ''
    const asked = commands().flatMap((line) => {
      folder = /^EXAMINE (.*)/.exec(line)?.[1] ?? folder
      return line.startsWith('UID SEARCH')
        ? (line.match(/\(HEADER [^)]*\)/g) ?? []).map((key) => folder + key)
        : []
    })
    assert.ok(asked.length > 10)
    assert.equal(new Set(asked).size, asked.length)
  })

  test('of endless answers is cut at a bound that it tells, with a bounded number of commands', async () => {
    const mails = Array.from({ length: 3_000 }, (_, n) => ({
      name: `m${n}`,
      ...(n === 0 ? {} : { refs: [`m0`, `m${n - 1}`] }),
    }))
    const { adapter, ref, commands } = await scripted([{ name: 'INBOX', mails }])
    const found = await adapter.listThread(ref, callFor())
    assert.equal(found.isComplete, false)
    assert.ok(found.messages.length > 100 && found.messages.length <= 1_000, `${found.messages.length}`)
    assert.ok(commands().length < 60)
  })

  test('that unfolds message by message ends after so many rounds', async () => {
    const mails = Array.from({ length: 200 }, (_, n) => ({
      name: `m${n}`,
      ...(n === 0 ? {} : { inReplyTo: `m${n - 1}` }),
    }))
    const { adapter, ref, commands } = await scripted([
      { name: 'INBOX', mails: mails.filter((_, n) => n % 2 === 0) },
      { name: 'Work', mails: mails.filter((_, n) => n % 2 === 1) },
    ])
    const found = await adapter.listThread(ref, callFor())
    assert.equal(found.isComplete, false)
    assert.ok(found.messages.length >= 5)
    assert.ok(commands().length < 100)
  })
})
