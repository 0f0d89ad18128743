import {
  answerFrom,
  limitImapServer,
  mailServers,
  startScriptedImap,
  type ScriptedAnswer,
  type ScriptedMailbox,
} from '@postern/fixtures'
import type { ComposedMessage, MailAdapter } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { callFor, pageOf, writeCallFor } from '../contract/mailbox.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

function adapterOn(port: number, login = { username: 'u', password: 'p' }): MailAdapter {
  const pool = createImapPool({ allowPrivateHosts: true, maxPerInbox: 1 })
  const folders = new FolderCache()
  opened.push(pool, folders)
  return createImapAdapter({
    account: {
      inboxId: `inbox-${port}`,
      credentialVersion: 1,
      credential: { host: '127.0.0.1', port, tls: 'none', ...login },
    },
    pool,
    folders,
    ownerAddresses: [],
    folderRoles: {},
  })
}

function composed(body: string): ComposedMessage {
  const octets = Buffer.from(`Message-ID: <d@drafts.example>\r\nSubject: ${body}\r\n\r\n${body}\r\n`)
  return {
    octets,
    envelope: { from: 'owner@drafts.example', to: [] },
    rfcMessageId: '<d@drafts.example>',
    sha256: '0'.repeat(64),
    needsUtf8: false,
  }
}

describe('a draft', () => {
  const saveWith = async (
    append: ScriptedAnswer,
  ): Promise<{ status: string; commands: readonly string[] }> => {
    const drafts: ScriptedMailbox = { uidValidity: 7, messages: [] }
    const answers = answerFrom(drafts)
    const server = await startScriptedImap({
      capabilities: 'UIDPLUS MOVE',
      on: {
        ...answers,
        SELECT: (command, connection) => answers['EXAMINE']?.(command, connection),
        LIST: async (command, { send, ok }) => {
          await send('* LIST () "/" INBOX\r\n* LIST (\\Drafts) "/" Drafts\r\n')
          await ok(command)
        },
        APPEND: append,
      },
    })
    opened.push(server)
    const { status } = await adapterOn(server.port).saveDraft(composed('Text'), null, writeCallFor())
    return { status, commands: server.commands }
  }

  test('whose storing was refused has failed; lost on the way, or confirmed and not there, it is unknown', async () => {
    const refused = await saveWith((command, { send }) => send(`${command.tag} NO [OVERQUOTA] full\r\n`))
    assert.equal(refused.status, 'failed')
    const dropped = await saveWith((_command, { drop }) => drop())
    assert.equal(dropped.status, 'unknown')
    const lying = await saveWith((command, { ok }) => ok(command, '[APPENDUID 7 5] stored'))
    assert.equal(lying.status, 'unknown')
    const silent = await saveWith((command, { ok }) => ok(command))
    assert.equal(silent.status, 'unknown')
    for (const { commands } of [refused, dropped, lying, silent])
      assert.equal(commands.filter((line) => line.startsWith('APPEND')).length, 1)
  })

  test('check 151: on a server that cannot remove a single message the old revision is flagged and no longer listed', async () => {
    const dovecot = mailServers().dovecot
    const relay = await limitImapServer(dovecot, { without: ['UIDPLUS', 'MOVE'] })
    opened.push(relay)
    const user = dovecot.user(40)
    const adapter = adapterOn(relay.port, user)
    const first = await adapter.saveDraft(composed('One'), null, writeCallFor())
    assert.ok(first.status === 'done')
    const second = await adapter.saveDraft(composed('Two, longer'), first.saved.draft, writeCallFor())
    assert.ok(second.status === 'done')
    assert.equal(second.saved.replaced, 'hidden')
    assert.equal((await adapter.listDrafts(pageOf(10), callFor())).total, 1)
    assert.equal((await adapter.discardDraft(second.saved.draft, writeCallFor())).status, 'done')
    assert.equal((await adapter.listDrafts(pageOf(10), callFor())).total, 0)
    assert.ok(relay.commands.every((line) => !/EXPUNGE|CLOSE/.test(line)))
  })
})
