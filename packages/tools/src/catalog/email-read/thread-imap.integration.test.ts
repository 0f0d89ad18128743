import {
  answerOf,
  buildMessage,
  createToolBench,
  mailServerNames,
  mailServers,
  openImapMailbox,
} from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

/*
 * The way of an agent over real servers: from a row to its conversation and, by the id of that, back again, whether
 * the server keeps conversations or not.
 */

interface Shown {
  readonly message_id: string
  readonly thread_id?: string | null
  readonly position: number
  readonly direction: string
  readonly body: string
}

for (const [n, name] of mailServerNames.entries()) {
  test(`check 101: on ${name} a row leads to its conversation, and every thread_id that is given to the same`, async () => {
    const server = mailServers()[name]
    const user = server.user(40 + n)
    const mailbox = await openImapMailbox(server, user)
    const client = new ImapFlow({
      host: server.host,
      port: server.imapsPort,
      secure: true,
      auth: { user: user.username, pass: user.password },
      tls: { ca: await readFile(server.caFile, 'utf8') },
      logger: false,
    })
    await client.connect()
    const words = 'A long line of words that nobody counts. '.repeat(2_000)
    const folder = (await client.mailboxCreate('Letters')).path
    const store = (where: string, raw: Uint8Array, minute: number): Promise<unknown> =>
      client.append(where, Buffer.from(raw), [], new Date(Date.UTC(2026, 10, 10, 8, minute)))
    await store('INBOX', buildMessage({ messageId: '<a@x>', subject: 'Plan', body: words }), 0)
    const refs = { subject: 'Re: Plan', headers: ['References: <a@x>', 'In-Reply-To: <a@x>'] }
    await store(folder, buildMessage({ ...refs, messageId: '<b@x>', from: user.email, body: 'Yes.' }), 1)
    await store('INBOX', buildMessage({ ...refs, messageId: '<c@x>', body: 'Good.' }), 2)
    await client.logout()

    const bench = createToolBench({ isEmpty: true })
    bench.addInbox({ provider: 'imap', emailAddress: user.email }, mailbox.mail)
    const ask = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
      answerOf(await bench.call('email_read', args))
    try {
      const rows = (await ask({ action: 'list' }))['messages'] as Shown[]
      const asked = [
        ...rows.map(({ message_id }) => ({ message_id })),
        ...rows.flatMap(({ thread_id }) => (typeof thread_id === 'string' ? [{ thread_id }] : [])),
      ]
      const first = await ask({ action: 'thread', ...asked[0] })
      for (const args of [...asked, { thread_id: first['thread_id'] }]) {
        const answer = await ask({ action: 'thread', ...args })
        assert.deepEqual([answer['thread_id'], answer['complete']], [first['thread_id'], true])
        const messages = answer['messages'] as Shown[]
        assert.deepEqual(
          messages.map(({ position, direction }) => `${position} ${direction}`),
          ['3 in', '2 out', '1 in'],
        )
        assert.match(messages[1]?.body ?? '', /\nYes\.\n/)
        assert.match(messages[2]?.body ?? '', /\nA long line of words/)
      }
    } finally {
      await mailbox.close()
    }
  })
}
