import {
  answerOf,
  createToolBench,
  errorOf,
  mailServers,
  openImapMailbox,
  type ImapMailbox,
} from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'

const bench = createToolBench({ isEmpty: true })
const server = mailServers().dovecot
const user = server.user(1)
let mailbox: ImapMailbox
let client: ImapFlow

before(async () => {
  mailbox = await openImapMailbox(server, user)
  bench.addInbox({}, mailbox.mail)
  client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    auth: { user: user.username, pass: user.password },
    tls: { ca: await readFile(server.caFile, 'utf8') },
    logger: false,
  })
  await client.connect()
})

after(async () => {
  await client.logout()
  await mailbox.close()
})

const acts = [
  ['list', (folder: string) => ({ action: 'list', folder })],
  ['search', (folder: string) => ({ action: 'search', include_folders: [folder] })],
  ['count', (folder: string) => ({ action: 'count', query: `in:${folder}` })],
] as const

for (const [name, args] of acts) {
  test(`${name} finds a folder that another client made after the folders were last listed`, async () => {
    const folder = `Fresh-${name}`
    await bench.call('folder_list', {})
    assert.equal(errorOf(await bench.call('email_read', args(folder)))['error_code'], 'folder_not_found')
    await client.mailboxCreate(folder)
    const answer = answerOf(await bench.call('email_read', args(folder)))
    assert.equal(answer['total'] ?? answer['count'], 0)
  })
}

test('folder_list shows a folder that was made since it was last asked', async () => {
  await bench.call('folder_list', {})
  await client.mailboxCreate('Fresh-listed')
  const { folders } = answerOf(await bench.call('folder_list', {})) as { folders: { path: string }[] }
  assert.ok(folders.some(({ path }) => path === 'Fresh-listed'))
})
