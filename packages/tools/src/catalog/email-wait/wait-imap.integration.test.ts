import {
  answerOf,
  buildMessage,
  createToolBench,
  limitImapServer,
  mailServerNames,
  mailServers,
  openImapMailbox,
  type LimitedImapServer,
  type TestMailServer,
  type TestUser,
  type ToolBench,
} from '@postern/fixtures'
import { silentLog } from '@postern/core'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTools, type Tools } from '../../index.ts'
import { createWaitPlaces } from '../../wait-places.ts'

interface Waited {
  readonly matched: boolean
  readonly timed_out: boolean
  readonly cursor: string
  readonly messages: readonly { readonly subject: string; readonly body?: string }[]
}

const subjects = ({ messages }: Waited): string[] => messages.map(({ subject }) => subject)

/** Delivers as another client would. */
async function openOther(server: TestMailServer, user: TestUser): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    auth: { user: user.username, pass: user.password },
    tls: { ca: await readFile(server.caFile, 'utf8') },
    logger: false,
  })
  await client.connect()
  return client
}

for (const [index, name] of mailServerNames.entries()) {
  describe(`waiting for mail over ${name}`, () => {
    const user = mailServers()[name].user(7_100 + index)
    const server = mailServers()[name]
    const closing: { close(): Promise<unknown> }[] = []
    let other: ImapFlow
    let relay: LimitedImapServer
    let bench: ToolBench
    let second: Tools

    before(async () => {
      other = await openOther(server, user)
      relay = await limitImapServer(server, {})
      const mailboxes = [await openImapMailbox(server, user, relay.port), await openImapMailbox(server, user)]
      closing.push(...mailboxes.toReversed(), relay)
      bench = createToolBench({ isEmpty: true })
      bench.addInbox({ provider: 'imap' }, mailboxes[0]?.mail)
      const again = mailboxes[1]?.mail ?? assert.fail('no second mailbox')
      second = createTools({ ...bench.deps, waits: createWaitPlaces(), openInbox: async () => again })
    })
    after(async () => {
      for (const thing of closing) await thing.close()
      await other.logout()
    })

    const deliver = (subject: string, body = 'Your code is 424242.'): Promise<unknown> =>
      other.append('INBOX', Buffer.from(buildMessage({ subject, body })), [])
    const wait = async (args: Record<string, unknown>): Promise<Waited> => {
      bench.now = new Date()
      return answerOf(await bench.call('email_wait', args)) as unknown as Waited
    }
    /** The same call on another instance, with connections of its own. */
    const waitThere = async (args: Record<string, unknown>): Promise<Waited> => {
      const call = {
        principal: bench.principal(),
        requestId: 'req_second',
        signal: new AbortController().signal,
        log: silentLog,
        isReadOnly: false,
        progress: null,
      }
      return answerOf((await second.callTool(call, 'email_wait', args)).result) as unknown as Waited
    }

    test('check 105: a code that arrived before the call is answered at once, with its text', async () => {
      await deliver('Code before')
      const answer = await wait({ subject: 'code before', include_body: true, timeout_seconds: 20 })
      assert.deepEqual(subjects(answer), ['Code before'])
      assert.match(answer.messages[0]?.body ?? '', /424242/)
    })

    test('check 106: mail that comes after a wait in vain is the next answer, once', async () => {
      const none = await wait({ subject: 'later', timeout_seconds: 1 })
      assert.equal(none.timed_out, true)
      await deliver('Later on')
      const next = await wait({ cursor: none.cursor, timeout_seconds: 20 })
      assert.deepEqual(subjects(next), ['Later on'])
      assert.deepEqual(subjects(await wait({ cursor: next.cursor, timeout_seconds: 0 })), [])
    })

    test('two waits of one inbox share one connection, and both are answered', async () => {
      const logins = (): number => relay.commands.filter((line) => /AUTHENTICATE|LOGIN/i.test(line)).length
      await wait({ subject: 'nothing of that name', timeout_seconds: 0 })
      await sleep(3_500)
      const before = logins()
      const waiting = ['one', 'two'].map((word) => wait({ subject: word, timeout_seconds: 25 }))
      await sleep(2_000)
      await deliver('Number one')
      await deliver('Number two')
      assert.deepEqual((await Promise.all(waiting)).map(subjects), [['Number one'], ['Number two']])
      // Looking leases from the pool, which may need a second connection for two at once.
      assert.ok(logins() - before <= 2, `${String(logins() - before)} logins`)
    })

    test('check 109: one cursor gives the same on two instances, and goes on from one to the other', async () => {
      const { cursor } = await wait({ subject: 'relayed', timeout_seconds: 0 })
      await deliver('Relayed first')
      const here = await wait({ cursor, timeout_seconds: 10 })
      const there = await waitThere({ cursor, timeout_seconds: 10 })
      assert.deepEqual([subjects(here), subjects(there)], [['Relayed first'], ['Relayed first']])
      await deliver('Relayed second')
      assert.deepEqual(subjects(await waitThere({ cursor: here.cursor, timeout_seconds: 10 })), [
        'Relayed second',
      ])
      assert.deepEqual(subjects(await wait({ cursor: there.cursor, timeout_seconds: 10 })), [
        'Relayed second',
      ])
    })

    test('check 107: a connection that is cut while one waits is made anew, and nothing is missed', async () => {
      const waiting = wait({ subject: 'survivor', timeout_seconds: 30 })
      await sleep(1_500)
      relay.cut()
      await deliver('The survivor')
      assert.deepEqual(subjects(await waiting), ['The survivor'])
    })
  })
}
