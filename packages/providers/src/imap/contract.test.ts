import {
  fixedOutcomes,
  limitImapServer,
  mailServerNames,
  mailServers,
  type CommandFate,
  type MailServerName,
  type TestUser,
} from '@postern/fixtures'
import type { FolderId } from '@postern/mail'
import { ImapFlow } from 'imapflow'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import { describeAdapter, describeSubmission } from '../contract.ts'
import { callFor, type ContractMailbox } from '../contract/mailbox.ts'
import type { ContractMessage } from '../contract/messages.ts'
import type { SendingMailbox } from '../contract/sending-mailbox.ts'
import { openWayOut } from '../../test/way-out.ts'
import type { ImapCredential } from './credential.ts'
import type { SmtpSubmission } from './send-by-smtp.ts'
import { createImapAdapter, createImapPool, FolderCache } from './index.ts'

interface TestLogin {
  readonly host: string
  readonly port: number
  readonly user: TestUser
  readonly caPem: string
}

let users = 0

async function newLogin(name: MailServerName): Promise<TestLogin> {
  users += 1
  const server = mailServers()[name]
  const user = server.user(users)
  return { host: server.host, port: server.imapsPort, user, caPem: await readFile(server.caFile, 'utf8') }
}

/** Any command with exact mailbox names; imapflow's declarations leave it out. */
interface RawClient {
  exec(command: string, args: readonly unknown[]): Promise<{ next: () => void }>
}

const string = (value: string): unknown => ({ type: 'STRING', value })
const atom = (value: string): unknown => ({ type: 'ATOM', value })

/** What another mail program of the same user would do. */
class OtherClient {
  readonly #client: ImapFlow

  constructor({ host, port, user, caPem }: TestLogin) {
    this.#client = new ImapFlow({
      host,
      port,
      secure: true,
      auth: { user: user.username, pass: user.password },
      tls: { ca: caPem },
      logger: false,
    })
    this.#client.on('error', () => undefined)
  }

  async connect(): Promise<void> {
    await this.#client.connect()
  }

  async close(): Promise<void> {
    await this.#client.logout()
  }

  /** False where the server refuses the name. */
  create(levels: readonly string[], spelling: string | undefined): Promise<boolean> {
    return isAccepted(
      spelling === undefined
        ? this.#client.mailboxCreate([...levels])
        : this.#exec('CREATE', [string(spelling)]),
    )
  }

  /** False where the server refuses the message. */
  async append(
    folderId: FolderId,
    { raw, receivedAt, flags = {}, keywords = [] }: ContractMessage,
  ): Promise<boolean> {
    const names = Object.entries(flags).flatMap(([name, isSet]) =>
      isSet ? [`\\${name.charAt(0).toUpperCase()}${name.slice(1)}`] : [],
    )
    // RFC 3501 9 date-time; toUTCString is `Mon, 04 May 2026 08:00:00 GMT`.
    const [, day, month, year, time] = receivedAt.toUTCString().split(' ')
    const args = [
      string(folderId),
      [...names, ...keywords].map(atom),
      string(`${day ?? ''}-${month ?? ''}-${year ?? ''} ${time ?? ''} +0000`),
      { type: 'LITERAL', value: Buffer.from(raw) },
    ]
    return isAccepted(this.#exec('APPEND', args))
  }

  async move(key: string, from: FolderId, to: FolderId): Promise<void> {
    await this.#client.mailboxOpen(from)
    const uids = await this.#client.search(
      { header: { 'message-id': `<${key}@contract.example>` } },
      { uid: true },
    )
    if (!Array.isArray(uids) || uids.length === 0) throw new TypeError(`no message ${key}`)
    await this.#client.messageMove(uids.join(','), to, { uid: true })
    await this.#client.mailboxClose()
  }

  /** Without CLOSE, which would expunge it (RFC 3501 6.4.2). */
  async markDeleted(key: string, folderId: FolderId): Promise<true> {
    await this.#client.mailboxOpen(folderId)
    const uids = await this.#client.search(
      { header: { 'message-id': `<${key}@contract.example>` } },
      { uid: true },
    )
    if (!Array.isArray(uids) || uids.length === 0) throw new TypeError(`no message ${key}`)
    await this.#client.messageFlagsAdd(uids, ['\\Deleted'], { uid: true })
    await this.#client.mailboxOpen(folderId, { readOnly: true })
    return true
  }

  /** UIDs and flags of every folder; \Recent belongs to a session, not to a message. */
  async snapshot(): Promise<string> {
    const lines: unknown[] = []
    const folders = (await this.#client.list()).toSorted((a, b) => (a.path < b.path ? -1 : 1))
    for (const { path, flags } of folders) {
      if (flags.has('\\Noselect')) continue
      const { exists, uidValidity } = await this.#client.mailboxOpen(path, { readOnly: true })
      const messages = exists === 0 ? [] : await this.#client.fetchAll('1:*', { uid: true, flags: true })
      const rows = messages.map(({ uid, flags: set = new Set() }) => [
        uid,
        [...set].filter((flag) => flag !== '\\Recent').sort(),
      ])
      // Some servers settle the UIDVALIDITY of a folder with its first message.
      lines.push([path, exists === 0 ? null : String(uidValidity), rows])
      await this.#client.mailboxClose()
    }
    return JSON.stringify(lines)
  }

  async #exec(command: string, args: readonly unknown[]): Promise<void> {
    const { next } = await (this.#client as unknown as RawClient).exec(command, args)
    next()
  }
}

/** A tagged NO or BAD is an answer here; anything else is a failure of the test. */
async function isAccepted(command: Promise<unknown>): Promise<boolean> {
  try {
    await command
    return true
  } catch (error) {
    if (error instanceof Error && 'responseStatus' in error) return false
    throw error
  }
}

/** How the adapter of a mailbox differs from the usual one. */
interface Special {
  readonly login: TestLogin
  readonly server?: Pick<ImapCredential, 'host' | 'port' | 'tls'>
  readonly submission?: SmtpSubmission
}

async function makeImapMailbox({ login, server, submission }: Special): Promise<ContractMailbox> {
  const { host, port, user, caPem } = login
  const client = new OtherClient(login)
  await client.connect()
  const pool = createImapPool({ allowPrivateHosts: true })
  const folders = new FolderCache()
  const credential = {
    ...(server ?? { host, port, tls: 'implicit' }),
    username: user.username,
    password: user.password,
    caPem,
  } as const
  const inboxId = randomUUID()
  const adapter = createImapAdapter({
    account: { inboxId, credentialVersion: 1, credential },
    pool,
    folders,
    ownerAddresses: [user.email],
    folderRoles: {},
    ...(submission === undefined ? {} : { submission }),
  })

  const addFolder = async (levels: readonly string[], spelling?: string): Promise<FolderId | null> => {
    const before = new Set((await adapter.listFolders('known', callFor())).map(({ folderId }) => folderId))
    if (!(await client.create(levels, spelling))) return null
    const added = (await adapter.listFolders('now', callFor())).filter(
      ({ folderId }) => !before.has(folderId),
    )
    // A parent may have been made along with it.
    return added.toSorted((a, b) => b.path.length - a.path.length)[0]?.folderId ?? null
  }
  return {
    adapter,
    ownAddress: user.email,
    addFolder,
    append: (folderId, message) => client.append(folderId, message),
    move: (key, from, to) => client.move(key, from, to),
    markDeleted: (key, folderId) => client.markDeleted(key, folderId),
    snapshot: () => client.snapshot(),
    close: async () => {
      await client.close()
      await pool.close()
      folders.close()
    },
  }
}

/** Reads through a relay that refuses the sender's copy when it is told to, and sends by Postfix. */
async function makeSendingMailbox(name: MailServerName): Promise<SendingMailbox> {
  const [login, otherLogin] = [await newLogin(name), await newLogin(name)]
  let fateOfCopy: CommandFate = 'pass'
  const relay = await limitImapServer(mailServers()[name], {
    onCommand: (line) => (line.startsWith('APPEND ') ? fateOfCopy : 'pass'),
  })
  const way = await openWayOut(login.user)
  const mailbox = await makeImapMailbox({
    login,
    server: { host: '127.0.0.1', port: relay.port, tls: 'none' },
    submission: way.submission,
  })
  const other = await makeImapMailbox({ login: otherLogin })
  return {
    ...mailbox,
    post: {
      other: { address: other.ownAddress, adapter: other.adapter },
      refusedAddress: fixedOutcomes.noSuchUser,
      disturb: async (what) => {
        fateOfCopy = what === 'copy_refused' ? 'refuse' : 'pass'
        way.disturb(what)
      },
    },
    close: async () => {
      await mailbox.close()
      await other.close()
      await way.close()
      await relay.close()
    },
  }
}

describe('real servers', { concurrency: true }, () => {
  for (const name of mailServerNames) {
    describeAdapter(name, async () => makeImapMailbox({ login: await newLogin(name) }))
    describeSubmission(name, () => makeSendingMailbox(name))
  }
})
