import {
  limitImapServer,
  mailServerNames,
  mailServers,
  type CommandFate,
  type MailServerName,
} from '@postern/fixtures'
import { findHeader, type DraftRef, type FolderId, type MailAdapter, type MessageRef } from '@postern/mail'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { compose } from '../contract/compose.ts'
import { callFor, folderWithRole, pageOf, writeCallFor } from '../contract/mailbox.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const isWrite = (line: string): boolean => /^(?:UID (?:COPY|STORE|EXPUNGE|MOVE)|APPEND) /.test(line)
const fates: readonly CommandFate[] = ['cut', 'cut_done', 'cut_after']

interface Bench {
  readonly adapter: MailAdapter
  readonly inboxRefs: () => Promise<readonly MessageRef[]>
  /** Another client of the same mailbox, on a way that nothing disturbs. */
  readonly client: ImapFlow
  readonly folderOf: (role: 'trash' | 'drafts') => Promise<FolderId>
  /** From now on the n-th write command meets this fate; tells how many there were since. */
  readonly disturb: (nth: number, fate: CommandFate) => () => number
  readonly close: () => Promise<void>
}

async function withBench(
  name: MailServerName,
  without: readonly string[],
  attempt: (where: Bench) => Promise<number>,
): Promise<number> {
  const where = await bench(name, without)
  try {
    return await attempt(where)
  } finally {
    await where.close()
  }
}

let users = 0

async function bench(name: MailServerName, without: readonly string[]): Promise<Bench> {
  const server = mailServers()[name]
  users += 1
  const { username, password, email } = server.user(400 + users)
  let [writes, nth, fate]: [number, number, CommandFate] = [0, 0, 'pass']
  const relay = await limitImapServer(server, {
    without,
    onCommand: (line) => {
      if (!isWrite(line)) return 'pass'
      writes += 1
      return writes === nth ? fate : 'pass'
    },
  })
  const client = new ImapFlow({
    host: server.host,
    port: server.imapsPort,
    secure: true,
    tls: { ca: await readFile(server.caFile) },
    auth: { user: username, pass: password },
    logger: false,
  })
  client.on('error', () => undefined)
  await client.connect()
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  const login = { host: '127.0.0.1', port: relay.port, tls: 'none', username, password } as const
  const adapter = createImapAdapter({
    account: { inboxId: randomUUID(), credentialVersion: 1, credential: login },
    pool,
    folders,
    ownerAddresses: [email],
    folderRoles: {},
  })
  const addFolder = async ([path = '']: readonly string[]): Promise<FolderId> =>
    (await client.mailboxCreate(path)).path
  return {
    adapter,
    client,
    inboxRefs: async () => {
      const page = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(100), callFor())
      return page.messages
        .filter(({ message }) => (findHeader(message.headers, 'Subject') ?? '').includes('victim'))
        .map(({ message }) => message.ref)
    },
    folderOf: (role) => folderWithRole({ adapter, addFolder }, role, role === 'trash' ? 'Trash' : 'Drafts'),
    disturb: (which, what) => {
      ;[writes, nth, fate] = [0, which, what]
      return () => writes
    },
    close: async () => {
      folders.close()
      await pool.close()
      await client.logout()
      await relay.close()
    },
  }
}

/** Two messages, and one that another client has marked as deleted. */
async function fill({ client }: Bench): Promise<void> {
  for (const key of ['victim1', 'victim2', 'bystander']) {
    const { octets } = compose({ key })
    await client.append('INBOX', Buffer.from(octets), key === 'bystander' ? ['\\Deleted'] : [])
  }
}

/** Subjects of what lies in a folder, sorted. */
async function subjectsIn({ client }: Bench, folderId: FolderId): Promise<readonly string[]> {
  const { exists } = await client.mailboxOpen(folderId, { readOnly: true })
  const messages = exists === 0 ? [] : await client.fetchAll('1:*', { envelope: true })
  await client.mailboxClose()
  return messages.map(({ envelope }) => envelope?.subject?.replace('Subject of ', '') ?? '').sort()
}

type Verb = 'move' | 'trash' | 'delete'

/** Does it once with the n-th write disturbed, and checks what must hold; tells how many writes there were. */
async function attemptAct(verb: Verb, where: Bench, nth: number, fate: CommandFate): Promise<number> {
  const to =
    verb === 'trash' ? await where.folderOf('trash') : (await where.client.mailboxCreate('Kept')).path
  await fill(where)
  const refs = await where.inboxRefs()
  assert.equal(refs.length, 2)
  const count = where.disturb(nth, fate)
  const call = writeCallFor(null, callFor(15))
  const outcomes =
    verb === 'move'
      ? await where.adapter.moveMessages(refs, { folderId: to, mayDiscard: false }, call)
      : await (verb === 'trash'
          ? where.adapter.trashMessages(refs, call)
          : where.adapter.deleteMessages(refs, call))
  const writes = count()
  where.disturb(0, 'pass')
  const [inbox, there] = [await subjectsIn(where, 'INBOX'), await subjectsIn(where, to)]
  const at = `${verb}, ${fate} at ${nth} of ${writes}: ${JSON.stringify([outcomes.map(({ status }) => status), inbox, there])}`
  assert.ok(inbox.includes('bystander'), `mail of another client is gone: ${at}`)
  assert.equal(new Set(outcomes.map(({ status }) => status)).size, 1, at)
  const [status] = outcomes.map((outcome) => outcome.status)
  if (status === 'unknown') assert.ok(writes >= nth && nth > 0, `unknown, and nothing was written: ${at}`)
  if (nth > 0 && fate !== 'cut_after') assert.equal(status, 'unknown', at)
  for (const victim of ['victim1', 'victim2']) {
    const isLeft = inbox.includes(victim)
    if (verb !== 'delete') assert.ok(isLeft || there.includes(victim), `lost: ${at}`)
    if (status === 'done') assert.ok(!isLeft && (verb === 'delete' || there.includes(victim)), at)
    if (status === 'failed') assert.ok(isLeft, at)
  }
  return writes
}

async function attemptUpdate(where: Bench, nth: number, fate: CommandFate): Promise<number> {
  const drafts = await where.folderOf('drafts')
  const save = (key: string, replaces: DraftRef | null) =>
    where.adapter.saveDraft(compose({ key }), replaces, writeCallFor(null, callFor(15)))
  const first = await save('old', null)
  assert.ok(first.status === 'done')
  await where.client.append(drafts, Buffer.from(compose({ key: 'bystander' }).octets), ['\\Deleted'])
  const count = where.disturb(nth, fate)
  const outcome = await save('new', first.saved.draft)
  const writes = count()
  where.disturb(0, 'pass')
  const there = await subjectsIn(where, drafts)
  const at = `${fate} at ${nth} of ${writes}: ${JSON.stringify([outcome.status, there])}`
  assert.ok(there.includes('bystander'), `mail of another client is gone: ${at}`)
  assert.ok(there.includes('old') || there.includes('new'), `no draft is left: ${at}`)
  if (outcome.status === 'unknown') assert.ok(writes >= nth && nth > 0, at)
  if (outcome.status === 'failed') assert.ok(there.includes('old') && !there.includes('new'), at)
  if (outcome.status === 'done') {
    assert.ok(there.includes('new'), at)
    if (outcome.saved.replaced === 'removed') assert.ok(!there.includes('old'), at)
  } else assert.ok(there.includes('old'), at)
  return writes
}

describe('a connection that is cut at any write command', { concurrency: true }, () => {
  for (const name of mailServerNames) {
    // Courier has no MOVE to hide.
    for (const without of name === 'courier' ? [[]] : [[], ['MOVE']]) {
      const how = `${name}${without.length === 0 ? '' : ' without MOVE'}`
      for (const verb of ['move', 'trash', 'delete'] as const) {
        if (verb === 'delete' && without.length > 0) continue
        test(`checks 110, 112 and 117: ${verb} on ${how} loses nothing, expunges nothing of others, and is unknown only where it was written`, async () => {
          const writes = await withBench(name, without, (where) => attemptAct(verb, where, 0, 'pass'))
          assert.ok(writes > 0)
          for (let nth = 1; nth <= writes; nth += 1)
            for (const fate of fates)
              await withBench(name, without, (where) => attemptAct(verb, where, nth, fate))
        })
      }
    }
    test(`checks 151 and 152: the update of a draft on ${name} leaves one at least, and nothing of others is expunged`, async () => {
      const writes = await withBench(name, [], (where) => attemptUpdate(where, 0, 'pass'))
      assert.ok(writes > 1)
      for (let nth = 1; nth <= writes; nth += 1)
        for (const fate of fates) await withBench(name, [], (where) => attemptUpdate(where, nth, fate))
    })
  }
})
