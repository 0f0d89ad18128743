import { Fault } from '@postern/core'
import {
  answerFrom,
  limitImapServer,
  mailServers,
  startScriptedImap,
  type ImapLimits,
  type Script,
  type ScriptedAnswer,
  type ScriptedMailbox,
  type ScriptedMessage,
} from '@postern/fixtures'
import type { ItemOutcome, MailAdapter, MessageRef, MoveTarget, WriteCall } from '@postern/mail'
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { pageOf, writeCallFor, callFor } from '../contract/mailbox.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close()
})

const upTo = (count: number): ScriptedMessage[] =>
  Array.from({ length: count }, (_, index) => ({ uid: index + 1 }))

interface Bench {
  readonly inbox: ScriptedMailbox
  readonly target: ScriptedMailbox
  readonly adapter: MailAdapter
  readonly refs: readonly MessageRef[]
  /** Commands since the messages were listed. */
  readonly commands: () => readonly string[]
}

interface BenchOptions {
  readonly count?: number
  readonly capabilities?: string
  readonly on?: (folders: Pick<Bench, 'inbox' | 'target'>) => NonNullable<Script['on']>
}

const abilities = 'UIDPLUS MOVE'

/** INBOX and Work behind a server that does as it is told, but for what `on` changes. */
async function bench({ count = 3, capabilities = abilities, on }: BenchOptions = {}): Promise<Bench> {
  const inbox: ScriptedMailbox = { uidValidity: 7, messages: upTo(count) }
  const target: ScriptedMailbox = { uidValidity: 9, messages: [{ uid: 1, id: 'work@scripted.example' }] }
  let selected = inbox
  const current: ScriptedMailbox = {
    get uidValidity() {
      return selected.uidValidity
    },
    get messages() {
      return selected.messages
    },
  }
  const answers = answerFrom(current)
  const open: ScriptedAnswer = async (command, connection) => {
    selected = command.args.includes('Work') ? target : inbox
    await answers['EXAMINE']?.(command, connection)
  }
  const server = await startScriptedImap({
    capabilities,
    on: {
      ...answers,
      EXAMINE: open,
      SELECT: open,
      LIST: async (command, { send, ok }) => {
        await send('* LIST () "/" INBOX\r\n* LIST () "/" Work\r\n')
        await ok(command)
      },
      ...on?.({ inbox, target }),
    },
  })
  const pool = createImapPool({ allowPrivateHosts: true, maxPerInbox: 1 })
  const folders = new FolderCache()
  opened.push(server, pool, folders)
  const adapter = createImapAdapter({
    account: {
      inboxId: 'inbox-1',
      credentialVersion: 1,
      credential: { host: '127.0.0.1', port: server.port, tls: 'none', username: 'u', password: 'p' },
    },
    pool,
    folders,
    ownerAddresses: [],
    folderRoles: {},
  })
  await adapter.listFolders('known', callFor())
  const refs: MessageRef[] = []
  for (let offset = 0; offset < count; offset += 100) {
    const page = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(100, offset), callFor())
    refs.push(...page.messages.map(({ message }) => message.ref))
  }
  server.commands.splice(0)
  return { inbox, target, adapter, refs, commands: () => server.commands.splice(0) }
}

/** Takes the messages that a set names out of a folder. */
function take(from: ScriptedMailbox, args: string): readonly ScriptedMessage[] {
  const named =
    args
      .split(' ')[0]
      ?.split(',')
      .map((run) => run.split(':').map(Number)) ?? []
  const isNamed = ({ uid }: ScriptedMessage): boolean =>
    named.some(([first = 0, last = first]) => uid >= first && uid <= last)
  const taken = from.messages.filter(isNamed)
  from.messages = from.messages.filter((message) => !isNamed(message))
  return taken
}

/** MOVE as it should be, but for what a test leaves out. */
const moving =
  (
    { inbox, target }: Pick<Bench, 'inbox' | 'target'>,
    skip: 'nothing' | 'copyuid' | 'arrival' = 'nothing',
  ): ScriptedAnswer =>
  async (command, { send, ok }) => {
    const taken = take(inbox, command.args)
    const first = 1_000 + target.messages.length
    if (skip !== 'arrival')
      target.messages.push(
        ...taken.map(({ uid, ...rest }, index) => ({
          ...rest,
          uid: first + index,
          id: `${uid}@scripted.example`,
          receivedAt: new Date(Date.UTC(2026, 0, 1) + uid * 60_000),
        })),
      )
    if (skip === 'nothing') {
      const from = taken.map(({ uid }) => uid).join(',')
      await send(`* OK [COPYUID 9 ${from} ${first}:${first + taken.length - 1}] moved\r\n`)
    }
    for (const _ of taken) await send('* 1 EXPUNGE\r\n')
    await ok(command)
  }

const to: MoveTarget = { folderId: 'Work', mayDiscard: false }
const statuses = (outcomes: readonly ItemOutcome[]): readonly string[] => outcomes.map(({ status }) => status)
const names = (commands: readonly string[]): readonly string[] =>
  commands.map((line) => /^(?:UID )?\S+/.exec(line)?.[0] ?? '')

describe('a move', () => {
  test('of 500 messages costs SELECT, one look, and one MOVE', async () => {
    const { adapter, refs, commands, target } = await bench({
      count: 500,
      on: (folders) => ({ 'UID MOVE': moving(folders) }),
    })
    const outcomes = await adapter.moveMessages(refs, to, writeCallFor())
    assert.deepEqual(new Set(statuses(outcomes)), new Set(['done']))
    assert.deepEqual(names(commands()), ['SELECT', 'UID FETCH', 'UID MOVE'])
    assert.equal(target.messages.length, 501)
    assert.equal(
      new Set(
        outcomes.map(
          (one) => one.status === 'done' && Buffer.from(one.newRef?.locator ?? []).toString('hex'),
        ),
      ).size,
      500,
    )
  })

  test('without COPYUID counts once the message was found where it should be', async () => {
    const { adapter, refs } = await bench({ on: (folders) => ({ 'UID MOVE': moving(folders, 'copyuid') }) })
    const outcomes = await adapter.moveMessages(refs.slice(0, 2), to, writeCallFor())
    assert.deepEqual(statuses(outcomes), ['done', 'done'])
    const [found] = await adapter.getMessages(
      outcomes.flatMap((one) => (one.status === 'done' && one.newRef !== null ? [one.newRef] : [])),
      callFor(),
    )
    assert.equal(found?.isFound && found.value.folderId, 'Work')
  })

  test('check 110: that the server confirms is unknown while the mail stays, or shows up nowhere', async () => {
    const staying = await bench({
      on: () => ({ 'UID MOVE': (command, { ok }) => ok(command) }),
    })
    assert.deepEqual(statuses(await staying.adapter.moveMessages(staying.refs, to, writeCallFor())), [
      'unknown',
      'unknown',
      'unknown',
    ])
    const lost = await bench({ on: (folders) => ({ 'UID MOVE': moving(folders, 'arrival') }) })
    const [outcome] = await lost.adapter.moveMessages(lost.refs.slice(0, 1), to, writeCallFor())
    assert.equal(outcome?.status, 'unknown')
  })

  test('check 117: whose connection was lost after the command left is unknown; before it, nothing was changed', async () => {
    const dropped = await bench({ on: () => ({ 'UID MOVE': (_command, { drop }) => drop() }) })
    const outcomes = await dropped.adapter.moveMessages(dropped.refs, to, writeCallFor())
    assert.deepEqual(statuses(outcomes), ['unknown', 'unknown', 'unknown'])
    assert.ok(outcomes.every((one) => one.status === 'unknown' && /may or may not/.test(one.fault.public)))

    const early = await bench({
      on: () => ({ 'UID FETCH': (_command, { drop }) => drop(), 'UID MOVE': () => assert.fail('moved') }),
    })
    await assert.rejects(
      early.adapter.moveMessages(early.refs, to, writeCallFor()),
      (error) => error instanceof Fault && error.code === 'provider_unavailable',
    )
  })

  test('that is refused has failed, and left everything where it was', async () => {
    const { adapter, refs, inbox } = await bench({
      on: () => ({ 'UID MOVE': (command, { send }) => send(`${command.tag} NO [OVERQUOTA] full\r\n`) }),
    })
    const outcomes = await adapter.moveMessages(refs, to, writeCallFor())
    assert.deepEqual(statuses(outcomes), ['failed', 'failed', 'failed'])
    assert.ok(outcomes.every((one) => one.status === 'failed' && one.fault.code === 'provider_rate_limited'))
    assert.equal(inbox.messages.length, 3)
  })

  test('that was refused half-way tells which messages went and which did not', async () => {
    const { adapter, refs } = await bench({
      on: (folders) => ({
        'UID MOVE': async (command, connection) => {
          await moving(folders, 'copyuid')(
            { ...command, args: '1:2 Work' },
            { ...connection, ok: async () => undefined },
          )
          await connection.send(`${command.tag} NO stopped\r\n`)
        },
      }),
    })
    // Newest first: 3, 2, 1.
    assert.deepEqual(statuses(await adapter.moveMessages(refs, to, writeCallFor())), [
      'failed',
      'done',
      'done',
    ])
  })

  test('never touches a UID that is another message by now', async () => {
    const { adapter, refs, inbox, commands } = await bench({
      on: (folders) => ({ 'UID MOVE': moving(folders) }),
    })
    inbox.messages = [{ uid: 1, id: 'another@scripted.example' }, { uid: 2 }, { uid: 3 }]
    assert.deepEqual(statuses(await adapter.moveMessages(refs, to, writeCallFor())), [
      'done',
      'done',
      'failed',
    ])
    assert.ok(commands().some((line) => line === 'UID MOVE 2:3 "Work"'))
    assert.deepEqual(
      inbox.messages.map(({ uid }) => uid),
      [1],
    )
  })

  test('goes on when its caller has left, and one that has not begun does not begin', async () => {
    const controller = new AbortController()
    const { adapter, refs } = await bench({
      on: (folders) => ({
        'UID MOVE': async (command, connection) => {
          controller.abort(new RangeError('gone'))
          await moving(folders)(command, connection)
        },
      }),
    })
    const call: WriteCall = writeCallFor(null, callFor(60, controller.signal))
    assert.deepEqual(statuses(await adapter.moveMessages(refs, to, call)), ['done', 'done', 'done'])
    await assert.rejects(adapter.moveMessages(refs, to, call), RangeError)
  })
})

describe('a server without UIDPLUS', () => {
  test('check 111: expunges nothing: a move and a delete are refused before anything was copied or marked', async () => {
    const { adapter, refs, commands } = await bench({ capabilities: 'NAMESPACE' })
    const isRefused = (error: unknown): boolean =>
      error instanceof Fault && error.code === 'capability_unavailable' && /nothing was/.test(error.public)
    await assert.rejects(adapter.moveMessages(refs, to, writeCallFor()), isRefused)
    await assert.rejects(adapter.deleteMessages(refs, writeCallFor()), isRefused)
    assert.ok(commands().every((line) => !/COPY|STORE|EXPUNGE|MOVE|CLOSE/.test(line)))
  })
})

describe('a delete', () => {
  test('that is refused takes its mark off again, and one that is confirmed but does nothing is unknown', async () => {
    const refusing = await bench({
      on: () => ({ 'UID EXPUNGE': (command, { send }) => send(`${command.tag} NO [NOPERM] no\r\n`) }),
    })
    const outcomes = await refusing.adapter.deleteMessages(refusing.refs.slice(0, 1), writeCallFor())
    assert.deepEqual(statuses(outcomes), ['failed'])
    assert.deepEqual(
      refusing.commands().filter((line) => line.startsWith('UID STORE')),
      ['UID STORE 3 +FLAGS.SILENT (\\Deleted)', 'UID STORE 3 -FLAGS.SILENT (\\Deleted)'],
    )
    const idle = await bench()
    assert.deepEqual(statuses(await idle.adapter.deleteMessages(idle.refs.slice(0, 1), writeCallFor())), [
      'unknown',
    ])
  })
})

describe('a mark', () => {
  test('that the server confirms and does not keep is unknown; one it cannot keep is refused beforehand', async () => {
    const { adapter, refs } = await bench()
    const mark = { kind: 'flag', flag: 'seen', isOn: true } as const
    assert.deepEqual(statuses(await adapter.setMarks(refs, mark, writeCallFor())), [
      'unknown',
      'unknown',
      'unknown',
    ])
    const fixed = await bench({
      on: ({ inbox }) => ({
        SELECT: async (command, { send, ok }) => {
          await send(`* ${inbox.messages.length} EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n`)
          await send('* OK [PERMANENTFLAGS (\\Seen \\Flagged)] limited\r\n')
          await ok(command)
        },
      }),
    })
    await assert.rejects(
      fixed.adapter.setMarks(fixed.refs, { kind: 'labels', add: ['Blue'], remove: [] }, writeCallFor()),
      (error) => error instanceof Fault && error.code === 'capability_unavailable',
    )
    assert.ok(fixed.commands().every((line) => !line.startsWith('UID STORE')))
  })

  test('that is no keyword never reaches the server', async () => {
    const { adapter, refs, commands } = await bench()
    for (const bad of ['two words', 'a)', '\\Deleted', 'x\r\nA LOGOUT', '', 'Gr\u00fcn', 'x'.repeat(101)]) {
      await assert.rejects(
        adapter.setMarks(refs, { kind: 'labels', add: [bad], remove: [] }, writeCallFor()),
        (error) => error instanceof Fault && error.code === 'invalid_arguments',
        bad,
      )
    }
    assert.deepEqual(commands(), [])
  })
})

test('check 113: of two folders that a server calls Trash neither is open to who may not discard', async () => {
  const on: BenchOptions['on'] = () => ({
    LIST: async (command, { send, ok }) => {
      await send('* LIST () "/" INBOX\r\n* LIST (\\Trash) "/" Bin\r\n* LIST (\\Trash) "/" Work\r\n')
      await ok(command)
    },
  })
  const { adapter, refs, commands } = await bench({ on })
  for (const folderId of ['Bin', 'Work'])
    await assert.rejects(
      adapter.moveMessages(refs, { folderId, mayDiscard: false }, writeCallFor()),
      (error) => error instanceof Fault && error.code === 'insufficient_scope',
    )
  assert.ok(names(commands()).every((name) => !/COPY|MOVE/.test(name)))
})

describe('a real server that lacks something', () => {
  const dovecot = mailServers().dovecot
  let users = 20

  const limited = async (
    limits: ImapLimits,
  ): Promise<{ adapter: MailAdapter; refs: readonly MessageRef[]; commands: () => readonly string[] }> => {
    const relay = await limitImapServer(dovecot, limits)
    const pool = createImapPool({ allowPrivateHosts: true })
    const folders = new FolderCache()
    opened.push(relay, pool, folders)
    users += 1
    const user = dovecot.user(users)
    const adapter = createImapAdapter({
      account: {
        inboxId: `inbox-${users}`,
        credentialVersion: 1,
        credential: {
          host: '127.0.0.1',
          port: relay.port,
          tls: 'none',
          username: user.username,
          password: user.password,
        },
      },
      pool,
      folders,
      ownerAddresses: [],
      folderRoles: {},
    })
    const { ImapFlow } = await import('imapflow')
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: relay.port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: user.username, pass: user.password },
      logger: false,
    })
    await client.connect()
    for (const key of ['one', 'two', 'three'])
      await client.append(
        'INBOX',
        `Message-ID: <${key}@organise.example>\r\nSubject: ${key}\r\n\r\nText.\r\n`,
      )
    await client.logout()
    const page = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(10), callFor())
    const start = relay.commands.length
    return {
      adapter,
      refs: page.messages.map(({ message }) => message.ref),
      commands: () => relay.commands.slice(start).map((line) => line.split(' ').slice(1).join(' ')),
    }
  }

  test('check 111: without MOVE it copies, checks, and expunges just what it has copied', async () => {
    const { adapter, refs, commands } = await limited({ without: ['MOVE'] })
    const target = { folderId: 'Archive', mayDiscard: false }
    assert.deepEqual(statuses(await adapter.moveMessages(refs.slice(0, 2), target, writeCallFor())), [
      'done',
      'done',
    ])
    const acts = names(commands()).filter((name) => /COPY|STORE|EXPUNGE|MOVE|CLOSE/.test(name))
    assert.deepEqual(acts, ['UID COPY', 'UID STORE', 'UID EXPUNGE'])
    const left = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(10), callFor())
    assert.equal(left.total, 1)
    const moved = await adapter.listMessages('Archive', { isUnreadOnly: false }, pageOf(10), callFor())
    assert.equal(moved.total, 2)
  })

  test('check 111: without MOVE and UIDPLUS it is left alone', async () => {
    const { adapter, refs, commands } = await limited({ without: ['MOVE', 'UIDPLUS'] })
    await assert.rejects(
      adapter.moveMessages(refs, { folderId: 'Archive', mayDiscard: false }, writeCallFor()),
      (error) => error instanceof Fault && error.code === 'capability_unavailable',
    )
    assert.ok(names(commands()).every((name) => !/COPY|STORE|EXPUNGE|MOVE|CLOSE/.test(name)))
    assert.deepEqual(
      statuses(await adapter.copyMessages(refs, { folderId: 'Archive', mayDiscard: false }, writeCallFor())),
      ['done', 'done', 'done'],
    )
  })
})
