import {
  createImapWriteBench,
  mailServers,
  startTestDatabase,
  type ImapWriteBench,
  type TestDatabase,
} from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'

let database: TestDatabase

before(async () => {
  database = await startTestDatabase()
})

after(() => database.close())

type Args = Record<string, unknown>

for (const [name, server] of Object.entries(mailServers())) {
  describe(`named messages on ${name}`, { concurrency: 1 }, () => {
    let imap: ImapWriteBench
    let client: ImapFlow
    let ids: readonly string[]

    before(async () => {
      const user = server.user(61)
      client = new ImapFlow({
        host: server.host,
        port: server.imapsPort,
        secure: true,
        auth: { user: user.username, pass: user.password },
        tls: { ca: await readFile(server.caFile, 'utf8') },
        logger: false,
      })
      await client.connect()
      imap = await createImapWriteBench(database, server, 61, client)
      ids = await imap.deliver('one', 'two', 'three')
    })
    after(async () => {
      await client.logout()
      await imap.close()
    })

    const organise = (args: Args): Promise<Args> => imap.call('email_organize', args)
    const undo = (answer: Args): Promise<Args> => organise((answer['undo'] as { arguments: Args }).arguments)
    const marks = async (): Promise<readonly unknown[]> => {
      const { messages } = (await imap.call('email_read', { action: 'list' })) as { messages: Args[] }
      return messages.map(({ subject, unread, flagged }) => [subject, unread ?? false, flagged ?? false])
    }

    test('check 116: a move and an archive are made and undone, twice over', async () => {
      const moved = await organise({
        action: 'move_batch',
        message_ids: ids.slice(0, 2),
        destination_folder_id: 'Work',
      })
      assert.deepEqual([moved['outcome'], moved['succeeded']], ['done', 2])
      assert.equal((await imap.subjects('Work')).length, 2)
      const archived = await organise({ action: 'archive', message_ids: ids.slice(0, 1) })
      assert.equal((await imap.subjects('archive')).length, 1)
      assert.equal((await undo(archived))['succeeded'], 1)
      const undone = await undo(moved)
      // The one that was archived and brought back has a place of its own by now.
      assert.deepEqual([undone['succeeded'], undone['unchanged']], [1, 1])
      assert.deepEqual(await imap.subjects('archive'), [])
      await organise({ action: 'move', message_id: ids[0], destination_folder_id: 'INBOX' })
      assert.deepEqual(await imap.subjects('INBOX'), ['one', 'three', 'two'])
    })

    test('of flags just those are taken back that were set', async () => {
      await organise({ action: 'flag', message_ids: ids.slice(0, 1), flag_action: 'flag' })
      const before = await marks()
      const answer = await organise({ action: 'flag', message_ids: ids, flag_action: 'flag' })
      assert.deepEqual([answer['succeeded'], answer['unchanged']], [2, 1])
      assert.equal((await undo(answer))['succeeded'], 2)
      assert.deepEqual(await marks(), before)
    })

    test('a label is added and taken off again by its undo', async () => {
      const answer = await organise({ action: 'label', message_ids: ids.slice(0, 2), add_labels: ['Later'] })
      assert.equal(answer['succeeded'], 2)
      const count = async (): Promise<unknown> =>
        (await imap.call('email_read', { action: 'count', query: 'label:Later' }))['count']
      assert.equal(await count(), 2)
      assert.equal((await undo(answer))['succeeded'], 2)
      assert.equal(await count(), 0)
    })

    test('deletion to Trash and moves by search are undone, and permanent deletion takes just its message', async () => {
      const trashed = await imap.call('email_delete', {
        action: 'delete_batch',
        message_ids: ids.slice(0, 2),
      })
      assert.deepEqual([trashed['outcome'], trashed['succeeded']], ['done', 2])
      assert.equal((await imap.subjects('INBOX')).length, 1)
      assert.equal((await undo(trashed))['succeeded'], 2)
      const search = { subject: 'two' }
      const args = { ...search, destination_folder_id: 'Work' }
      assert.equal((await imap.call('email_search_and_move', { ...args, dry_run: true }))['matched'], 1)
      const moved = await imap.call('email_search_and_move', args)
      assert.deepEqual([moved['matched'], moved['succeeded']], [1, 1])
      assert.equal((await undo(moved))['succeeded'], 1)
      assert.deepEqual(await imap.subjects('INBOX'), ['one', 'three', 'two'])
      await imap.deliver('four')
      const gone = await imap.call('email_delete', {
        action: 'search_and_delete',
        subject: 'four',
        permanent: true,
      })
      assert.deepEqual([gone['outcome'], gone['succeeded'], 'undo' in gone], ['done', 1, false])
      assert.deepEqual(await imap.subjects('INBOX'), ['one', 'three', 'two'])
    })

    test('a copy is made beside the original and cannot be undone', async () => {
      const answer = await organise({ action: 'copy', message_id: ids[0], destination_folder_id: 'Work' })
      assert.deepEqual([answer['outcome'], 'undo' in answer], ['done', false])
      assert.equal((await imap.subjects('Work')).length, 1)
      assert.equal((await imap.subjects('INBOX')).length, 3)
    })
  })
}
