import { Fault, silentLog } from '@postern/core'
import {
  answerFrom,
  startScriptedImap,
  type Script,
  type ScriptedImap,
  type ScriptedMailbox,
  type ScriptedMessage,
} from '@postern/fixtures'
import { findHeader, type Anchor, type Call, type ListPage } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

function call(): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + 5_000), log: silentLog }
}

interface Bench {
  readonly server: ScriptedImap
  readonly mailbox: ScriptedMailbox
  readonly list: (
    limit: number,
    options?: { after?: Anchor | null; offset?: number; isUnreadOnly?: boolean },
  ) => Promise<ListPage>
  /** Commands since the last look, without those of the login. */
  readonly commands: () => readonly string[]
}

async function bench(messages: readonly ScriptedMessage[], script: Script = {}): Promise<Bench> {
  const mailbox: ScriptedMailbox = { uidValidity: 7, messages: [...messages] }
  const server = await startScriptedImap({ ...script, on: { ...answerFrom(mailbox), ...script.on } })
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  opened.push(server, pool, folders)
  const credential = {
    host: '127.0.0.1',
    port: server.port,
    tls: 'none',
    username: 'u',
    password: 'p',
  } as const
  const adapter = createImapAdapter({
    account: { inboxId: 'inbox-1', credentialVersion: 1, credential },
    pool,
    folders,
    ownerAddresses: [],
    folderRoles: {},
  })
  return {
    server,
    mailbox,
    list: (limit, { after = null, offset = 0, isUnreadOnly = false } = {}) =>
      adapter.listMessages('INBOX', { isUnreadOnly }, { limit, offset, after }, call()),
    commands: () =>
      server.commands
        .splice(0)
        .filter((line) => /^(?:UID |EXAMINE|NOOP|SELECT|FETCH|SEARCH|STORE)/.test(line)),
  }
}

const upTo = (count: number): ScriptedMessage[] =>
  Array.from({ length: count }, (_, index) => ({ uid: index + 1 }))

function uidsOf(page: ListPage): readonly number[] {
  return page.messages.map(({ message }) => Number(findHeader(message.headers, 'Subject')?.slice(8) ?? 0))
}

describe('a page', () => {
  test('check 69: it costs EXAMINE and one FETCH of a sequence range, never a SEARCH, SELECT or BODY without PEEK', async () => {
    const { list, commands } = await bench(upTo(200))
    const page = await list(20)
    assert.deepEqual([page.total, page.hasMore, page.messages.length], [200, true, 20])
    const [examine, fetch, ...more] = commands()
    assert.equal(examine, 'EXAMINE "INBOX"')
    assert.match(
      fetch ?? '',
      /^FETCH 181:200 \(UID FLAGS INTERNALDATE RFC822\.SIZE BODYSTRUCTURE BODY\.PEEK\[HEADER\.FIELDS /,
    )
    assert.ok(!/BODY\[/.test(fetch ?? ''))
    assert.deepEqual(more, [])
  })

  test('of unread mail it costs one SEARCH more', async () => {
    const { list, commands } = await bench(
      upTo(30).map((message) => ({ ...message, isSeen: message.uid % 3 !== 0 })),
    )
    const page = await list(4, { isUnreadOnly: true, offset: 1 })
    assert.deepEqual(uidsOf(page), [27, 24, 21, 18])
    assert.deepEqual([page.total, page.hasMore], [10, true])
    const [examine, search, fetch, ...more] = commands()
    assert.deepEqual([examine, search], ['EXAMINE "INBOX"', 'UID SEARCH UNSEEN'])
    assert.match(fetch ?? '', /^UID FETCH 18,21,24,27 /)
    assert.deepEqual(more, [])
  })

  test('of an empty folder costs one command', async () => {
    const { list, commands } = await bench([])
    assert.deepEqual(await list(20), { messages: [], total: 0, hasMore: false })
    assert.deepEqual(commands(), ['EXAMINE "INBOX"'])
  })
})

describe('the next page', () => {
  const next = async (
    change: (mailbox: ScriptedMailbox) => void,
  ): Promise<{ uids: readonly number[]; costs: number }> => {
    const { list, mailbox, commands } = await bench(upTo(60))
    const first = await list(10)
    commands()
    change(mailbox)
    const second = await list(10, { after: first.messages.at(-1)?.anchor ?? null })
    return { uids: uidsOf(second), costs: commands().length }
  }
  const down = (from: number, count = 10): number[] =>
    Array.from({ length: count }, (_, index) => from - index)

  test('continues below the anchor in two round trips', async () => {
    assert.deepEqual(await next(() => undefined), { uids: down(50), costs: 2 })
  })

  test('is the same after arrivals, at the same price', async () => {
    const arrive = (mailbox: ScriptedMailbox): void =>
      void mailbox.messages.push({ uid: 61 }, { uid: 62 }, { uid: 99 })
    assert.deepEqual(await next(arrive), { uids: down(50), costs: 2 })
  })

  test('misses nothing when messages above it were expunged', async () => {
    const expunge = (mailbox: ScriptedMailbox): void =>
      void (mailbox.messages = mailbox.messages.filter(({ uid }) => uid <= 51 || uid > 55))
    assert.deepEqual((await next(expunge)).uids, down(50))
  })

  test('misses nothing when messages below it were expunged', async () => {
    const expunge = (mailbox: ScriptedMailbox): void =>
      void (mailbox.messages = mailbox.messages.filter(({ uid }) => uid < 3 || uid > 7))
    assert.deepEqual(await next(expunge), { uids: down(50), costs: 4 })
  })

  test('misses nothing when so many were expunged that the hint is of no use', async () => {
    const expunge = (mailbox: ScriptedMailbox): void =>
      void (mailbox.messages = [
        ...mailbox.messages.filter(({ uid }) => uid > 30),
        ...Array.from({ length: 50 }, (_, index) => ({ uid: 100 + index })),
      ])
    assert.deepEqual((await next(expunge)).uids, down(50))
  })

  test('is there when the anchor itself is gone', async () => {
    const expunge = (mailbox: ScriptedMailbox): void =>
      void (mailbox.messages = mailbox.messages.filter(({ uid }) => uid !== 51))
    assert.deepEqual((await next(expunge)).uids, down(50))
  })

  test('is empty and the last when the folder shrank below it', async () => {
    const { list, mailbox } = await bench(upTo(60))
    const first = await list(10)
    mailbox.messages = mailbox.messages.filter(({ uid }) => uid > 55)
    const page = await list(10, { after: first.messages.at(-1)?.anchor ?? null })
    assert.deepEqual([page.messages, page.hasMore, page.total], [[], false, 5])
  })

  test('every page size walks the whole folder once, while mail arrives and goes', async () => {
    for (const limit of [1, 3, 7, 20, 59, 60, 61]) {
      const { list, mailbox } = await bench(upTo(60))
      const seen: number[] = []
      let after: Anchor | null = null
      for (let turn = 0; turn < 70; turn++) {
        const page: ListPage = await list(limit, { after })
        seen.push(...uidsOf(page))
        after = page.messages.at(-1)?.anchor ?? after
        if (!page.hasMore) break
        mailbox.messages.push({ uid: 1_000 + turn })
        // One that was seen already goes: nothing below may be lost by it.
        mailbox.messages = mailbox.messages.filter(({ uid }) => uid !== seen.at(-3))
      }
      assert.deepEqual(seen, down(60, 60), `pages of ${limit}`)
    }
  })

  test('of a folder that was rebuilt is refused: its numbers mean other messages now', async () => {
    for (const isUnreadOnly of [false, true]) {
      const { list, mailbox } = await bench(upTo(30))
      const first = await list(10, { isUnreadOnly })
      mailbox.uidValidity = 8
      await assert.rejects(
        list(10, { isUnreadOnly, after: first.messages.at(-1)?.anchor ?? null }),
        (error) => error instanceof Fault && error.code === 'cursor_expired',
      )
    }
  })
})

describe('a broken message', () => {
  test('check 54: without FLAGS, date and header it keeps its place and its id', async () => {
    const messages = upTo(5)
    messages[2] = {
      uid: 3,
      line: (sequence) => `* ${sequence} FETCH (UID 3 RFC822.SIZE 12 BODY[HEADER.FIELDS (x)] NIL)`,
    }
    const { list } = await bench(messages)
    const page = await list(5)
    assert.deepEqual(
      page.messages.map(({ isBroken }) => isBroken),
      [false, false, true, false, false],
    )
    assert.deepEqual(uidsOf(page), [5, 4, 0, 2, 1])
    assert.ok(page.messages.every(({ message }) => message.ref.locator.length === 26))
  })

  test('check 93: a line that cannot be read is asked for once more, bare, and marked', async () => {
    const messages = upTo(5)
    messages[1] = {
      uid: 2,
      line: (sequence, { args }) =>
        args.includes('BODYSTRUCTURE')
          ? `* ${sequence} FETCH (UID 2 FLAGS (\\Seen) BODYSTRUCTURE ("TEXT" "PLAIN")) )(`
          : `* ${sequence} FETCH (UID 2 FLAGS (\\Seen) INTERNALDATE " 2-Jan-2026 03:04:05 +0000" RFC822.SIZE 9)`,
    }
    const { list, commands } = await bench(messages)
    const page = await list(5)
    assert.deepEqual(
      page.messages.map(({ isBroken }) => isBroken),
      [false, false, false, true, false],
    )
    assert.deepEqual(page.messages[3]?.message.receivedAt, new Date('2026-01-02T03:04:05Z'))
    assert.match(commands()[2] ?? '', /^FETCH 2 \(UID FLAGS INTERNALDATE RFC822\.SIZE\)$/)
  })

  test('a message that is not answered for at all is left out, and the page goes on below it', async () => {
    const messages = upTo(12)
    messages[9] = { uid: 10, line: null }
    const { list } = await bench(messages)
    const first = await list(5)
    assert.deepEqual([uidsOf(first), first.hasMore], [[12, 11, 9, 8], true])
    const second = await list(5, { after: first.messages.at(-1)?.anchor ?? null })
    assert.deepEqual(uidsOf(second), [7, 6, 5, 4, 3])
  })

  test('a folder that answers for none of its messages is a failure, never an empty page', async () => {
    const { list } = await bench(upTo(3).map((message) => ({ ...message, line: null })))
    await assert.rejects(list(5), (error) => error instanceof Fault && error.code === 'provider_error')
  })

  test('one structure that breaks the bounds does not hide the page', async () => {
    const bomb = `${'('.repeat(90)}"TEXT" "PLAIN"${')'.repeat(90)}`
      .replace(/^\(/, '(')
      .concat(' ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 1 1)'.repeat(30_000))
    const { list } = await bench(
      upTo(3).map((message) =>
        message.uid === 2 ? { ...message, structure: `(${bomb} "MIXED")` } : message,
      ),
    )
    const page = await list(3)
    assert.deepEqual(uidsOf(page), [3, 2, 1])
    assert.ok(page.messages.every(({ message }) => message.tree === null))
  })

  test('lines about messages that nobody asked for are passed over', async () => {
    const messages = upTo(10)
    messages[9] = {
      uid: 10,
      line: (sequence) =>
        [
          '* 1 FETCH (UID 1 FLAGS (\\Seen))',
          '* 0 FETCH (UID 77 FLAGS ())',
          '* 4294967295 FETCH (UID 4294967295)',
          `* ${sequence} FETCH (UID 10)`,
          `* ${sequence} FETCH (FLAGS (\\Flagged) INTERNALDATE "05-Jan-2026 00:00:00 +0000")`,
          `* ${sequence} FETCH (BODY[HEADER.FIELDS (x)] {15}\r\nSubject: late\r\n)`,
        ].join('\r\n'),
    }
    const { list } = await bench(messages)
    const page = await list(3)
    assert.equal(page.messages.length, 3)
    const [top] = page.messages
    assert.deepEqual([top?.isBroken, top?.message.flags.flagged], [false, true])
    assert.equal(findHeader(top?.message.headers ?? [], 'subject'), 'late')
  })
})

describe('first words', () => {
  test('come from section 1 where the server makes none, and say which part they are of', async () => {
    const { list } = await bench(upTo(1))
    const { preview, tree } = (await list(1)).messages[0]?.message ?? assert.fail('no row')
    assert.deepEqual(preview, { kind: 'octets', partId: '1', octets: Buffer.from('Body 1') })
    assert.equal(tree?.id, '1')
  })

  test('a server that offers PREVIEW and never has one is asked for octets from then on', async () => {
    const { list, commands } = await bench(upTo(3), { capabilities: 'NAMESPACE PREVIEW' })
    await list(3)
    assert.match(commands()[1] ?? '', / PREVIEW BODY\.PEEK\[1\]<0\.1024>\)$/)
    const page = await list(3)
    assert.match(
      commands()[1] ?? '',
      /\] BODY\.PEEK\[1\]<0\.1024>\)$|<0\.131072> BODY\.PEEK\[1\]<0\.1024>\)$/,
    )
    assert.ok(page.messages.every(({ message }) => message.preview?.kind === 'octets'))
  })
})
