import { readFile } from 'node:fs/promises'
import { mailServerNames, mailServers, submissionServer, type MailServerName } from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { install, type Installation } from './installation.ts'
import { callTool } from '../kills/call-tool.ts'

type Answer = Readonly<Record<string, unknown>>

/** What somebody does in the first hour, with the command line and a client, on each kind of server. */
describe('writing, as a new user would', { concurrency: 1 }, () => {
  let postern: Installation
  let caPem = ''
  before(async () => {
    caPem = await readFile(mailServers().dovecot.caFile, 'utf8')
    postern = await install({
      POSTERN_ALLOW_PRIVATE_HOSTS: '1',
      POSTERN_EXTRA_CA_FILE: mailServers().dovecot.caFile,
    })
    await postern.cli(['tenant', 'create', 'Robin'])
    await postern.gateway.start()
  })
  after(() => postern.remove())

  for (const name of mailServerNames) {
    test(`checks 116, 129, 130, 149, 150 and 154: a reply is drafted, changed, sent and seen, and mail is moved, brought back and deleted on ${name}`, async (context) => {
      const { key, owner } = await connect(name)
      const call = makeCall(context, key)
      const friend = mailServers().dovecot.user(50 + mailServerNames.indexOf(name))
      await write(friend.email, owner.email)

      const question = await arrived(call)
      const draft = await call('draft', {
        action: 'reply',
        message_id: question,
        body: 'Yes.',
        reply_all: false,
      })
      const second = await call('draft', {
        action: 'update',
        draft_id: draft['draft_id'],
        body: 'Yes, at noon.',
      })
      const third = await call('draft', {
        action: 'update',
        draft_id: second['draft_id'],
        body: 'Yes, at one. \u20ac 20 each.',
        cc: [owner.email],
      })
      assert.deepEqual(((await call('draft_list', {}))['drafts'] as unknown[]).length, 1)
      const sent = await call('draft', {
        action: 'send',
        draft_id: third['draft_id'],
        idempotency_key: 'once',
      })
      assert.equal(sent['outcome'], 'sent')
      const again = await call('draft', {
        action: 'send',
        draft_id: third['draft_id'],
        idempotency_key: 'once',
      })
      assert.deepEqual([again['outcome'], again['idempotent_replay']], ['sent', true])
      assert.deepEqual((await call('draft_list', {}))['drafts'], [])

      const [raw, ...more] = await received(friend.email, friend.password)
      assert.deepEqual(more, [])
      const mail = await PostalMime.parse(raw ?? '')
      assert.equal(mail.subject, `Re: Lunch with ${owner.email}?`)
      assert.equal(mail.inReplyTo, '<lunch@friends.example>')
      assert.match(mail.references ?? '', /<first@friends\.example>\s+<lunch@friends\.example>$/)
      assert.match(mail.text ?? '', /^Yes, at one\. \u20ac 20 each\.\s/)
      assert.match(mail.text ?? '', /> Shall we meet\?/)
      assert.deepEqual([mail.to?.map(({ address }) => address), mail.bcc], [[friend.email], undefined])

      const thread = await call('email_read', { action: 'thread', message_id: question })
      // The copy that came back by Cc is the one in Sent.
      assert.equal(thread['total_messages'], 2)
      await tidyUp(call, question)
    })
  }

  async function connect(name: MailServerName) {
    const server = mailServers()[name]
    const owner = server.user(40)
    const { host, submissionsPort } = submissionServer()
    const who = ['inbox', 'connect', 'imap', '--address', owner.email, '--username', owner.username]
    const where = ['--host', server.host, '--port', String(server.imapsPort), '--tls', 'implicit']
    const out = ['--smtp-host', host, '--smtp-port', String(submissionsPort), '--smtp-tls', 'implicit']
    const inbox = await postern.cli([...who, ...where, '--password-stdin', ...out], owner.password)
    const scopes =
      'read:email,search:email,read:attachments,send:email,manage:drafts,organize:email,manage:folders,delete:email'
    const { key } = await postern.cli([
      'key',
      'create',
      '--scopes',
      scopes,
      '--inbox',
      String(inbox['inbox_id']),
    ])
    return { key: String(key), owner }
  }

  type Call = (tool: string, args: Answer) => Promise<Answer>

  /** Each call and its answer stand in the output of the test, to be read as an agent reads them. */
  function makeCall(context: TestContext, key: string): Call {
    return async (tool, args) => {
      const { answer, error } = await callTool(postern.url, key, tool, args)
      context.diagnostic(`${tool} ${JSON.stringify(args)}\n  ${JSON.stringify(answer ?? error)}`)
      if (answer === null) throw new Error(JSON.stringify(error))
      return answer
    }
  }

  async function write(from: string, to: string): Promise<void> {
    const { host, submissionsPort } = submissionServer()
    const transport = createTransport({
      host,
      port: submissionsPort,
      secure: true,
      auth: { user: from, pass: 'secret' },
      tls: { ca: caPem },
    })
    await transport.sendMail({
      from,
      to,
      subject: `Lunch with ${to}?`,
      messageId: '<lunch@friends.example>',
      references: '<first@friends.example>',
      text: 'Shall we meet?\n',
    })
    transport.close()
  }

  async function arrived(call: Call): Promise<unknown> {
    const waited = await call('email_wait', { subject: 'Lunch', timeout_seconds: 30 })
    const [message] = waited['messages'] as { readonly message_id: string }[]
    assert.equal(waited['matched'], true)
    return message?.message_id
  }

  async function received(user: string, pass: string): Promise<readonly Buffer[]> {
    const { host, imapsPort } = mailServers().dovecot
    const auth = { user, pass }
    const client = new ImapFlow({
      host,
      port: imapsPort,
      secure: true,
      auth,
      tls: { ca: caPem },
      logger: false,
    })
    await client.connect()
    try {
      for (let tries = 0; tries < 100; tries++) {
        await client.mailboxOpen('INBOX')
        const all = await client.fetchAll('1:*', { source: true })
        if (all.length > 0) return all.flatMap(({ source }) => (source === undefined ? [] : [source]))
        await sleep(100)
      }
      return []
    } finally {
      await client.logout()
    }
  }

  async function tidyUp(call: Call, question: unknown): Promise<void> {
    const count = async (folder: unknown): Promise<unknown> =>
      (await call('email_read', { action: 'count', subject: 'Lunch', include_folders: [folder] }))['count']
    const made = await call('folder', { action: 'create', name: 'Friends' })
    const folder = made['folder_id']
    const here = await count('INBOX')
    const move = { action: 'move', message_id: question, destination_folder_id: folder }
    const moved = await call('email_organize', move)
    assert.deepEqual([moved['outcome'], await count(folder)], ['done', 1])
    const undo = moved['undo'] as { readonly tool: string; readonly arguments: Answer }
    assert.equal((await call(undo.tool, undo.arguments))['outcome'], 'done')
    assert.deepEqual([await count('INBOX'), await count(folder)], [here, 0])

    const byWord = { subject: 'Lunch', destination_folder_id: folder }
    const rehearsed = await call('email_search_and_move', { ...byWord, dry_run: true })
    assert.deepEqual([rehearsed['matched'], await count(folder)], [here, 0])
    const all = await call('email_search_and_move', byWord)
    assert.deepEqual([all['outcome'], await count(folder), await count('INBOX')], ['done', here, 0])

    const deleted = await call('email_delete', { action: 'delete', message_id: question })
    assert.deepEqual([deleted['outcome'], await count('trash')], ['done', 1])
    const gone = await call('email_delete', { action: 'delete', message_id: question, permanent: true })
    assert.deepEqual([gone['outcome'], await count('trash')], ['done', 0])
    const told = await call('operation_get', { operation_id: gone['operation_id'] })
    assert.equal(told['outcome'], 'done')
  }
})
