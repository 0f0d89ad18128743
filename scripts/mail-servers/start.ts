import { existsSync, statfsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MailServerAddress, MailServerName, SubmissionServerAddress } from '@postern/fixtures'
import { makeCertificates } from './ca.ts'
import { courier } from './courier.ts'
import { cyrus } from './cyrus.ts'
import { dovecot } from './dovecot.ts'
import { unpackPackages } from './install.ts'
import { accepts, type RunningServer } from './isolate.ts'
import { postfixPackages, startPostfix } from './postfix.ts'
import type { TestServerKind } from './server-kind.ts'
import { freePort } from '../free-port.ts'

export interface StartOptions {
  /** Default: loopback only. */
  readonly listen?: string
  /** First of eight consecutive ports; default: free ones. */
  readonly firstPort?: number
}

export interface MailServersHandle {
  readonly addresses: Readonly<Record<MailServerName, MailServerAddress>> & {
    readonly postfix: SubmissionServerAddress
  }
  /** What `POSTERN_TEST_SERVERS` has to hold for tests to find them. */
  readonly value: string
  /** Stops every server and removes all mail. */
  stop(): Promise<void>
}

const prefix = 'postern-mail-'
const aliveSocket = 'alive'

type ByServer = Readonly<Record<MailServerName | 'postfix', string>>

const kinds: Readonly<Record<MailServerName, TestServerKind>> = { dovecot, cyrus, courier }

/** Starts Dovecot, Cyrus, Courier and Postfix side by side, empty, in a folder that goes when they stop. */
export async function startMailServers(options: StartOptions = {}): Promise<MailServersHandle> {
  const roots = await unpackAll()
  const parent = roomyTemporaryFolder()
  await removeAbandoned(parent)
  const base = await mkdtemp(join(parent, prefix))
  const alive = createServer((socket) => socket.end())
    .listen(join(base, aliveSocket))
    .unref()
  await chmod(base, 0o755)
  const certificates = await makeCertificates(join(base, 'ca'), roots.dovecot)
  const running: RunningServer[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.stop()))
    alive.close()
    await rm(base, { recursive: true, force: true })
  }
  const { caFile } = certificates
  const listen = options.listen ?? '127.0.0.1'
  const folders = await makeFolders(base)
  const start = async (name: MailServerName, index: number): Promise<MailServerAddress> => {
    const [imapPort, imapsPort] = await portsFor(options.firstPort, index)
    const where = { root: roots[name], folder: folders[name], listen, imapPort, imapsPort, certificates }
    running.push(await kinds[name].start(where))
    return { host: 'localhost', imapPort, imapsPort, caFile }
  }
  const startSubmission = async (): Promise<SubmissionServerAddress> => {
    const [submissionPort, submissionsPort] = await portsFor(options.firstPort, 3)
    const ports = { submissionPort, submissionsPort }
    const where = { root: roots.postfix, folder: folders.postfix, listen, certificates, mailboxes: folders }
    running.push(await startPostfix({ ...where, ...ports }))
    return { host: 'localhost', ...ports, caFile }
  }
  const work = [start('dovecot', 0), start('cyrus', 1), start('courier', 2), startSubmission()] as const
  // All are awaited even when one fails, so that `stop` finds whatever did start.
  await Promise.allSettled(work)
  try {
    const [first, second, third, fourth] = await Promise.all(work)
    const addresses = { dovecot: first, cyrus: second, courier: third, postfix: fourth }
    return { addresses, value: JSON.stringify(addresses), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

// One after the other: they may each have to refresh the machine's package lists, which takes a lock.
async function unpackAll(): Promise<ByServer> {
  return {
    dovecot: await unpackPackages(dovecot.packages),
    cyrus: await unpackPackages(cyrus.packages),
    courier: await unpackPackages(courier.packages),
    postfix: await unpackPackages(postfixPackages),
  }
}

async function makeFolders(base: string): Promise<ByServer> {
  const make = async (name: string): Promise<string> => {
    await mkdir(join(base, name))
    return join(base, name)
  }
  return {
    dovecot: await make('dovecot'),
    cyrus: await make('cyrus'),
    courier: await make('courier'),
    postfix: await make('postfix'),
  }
}

/** A folder without an answering socket may be one whose run has not come to listening yet. */
const youngMs = 60_000

/**
 * Removes what runs that were killed outright have left; their servers ended with them. A run that lives
 * answers on the socket in its folder: a process id would mean nothing to a container that shares the memory.
 */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = join(parent, name)
    if (!name.startsWith(prefix) || (await accepts(join(folder, aliveSocket)))) continue
    // Another run may be removing it as well.
    const found = await stat(folder).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > youngMs)
      await rm(folder, { recursive: true, force: true })
  }
}

const roomyBytes = 1024 ** 3

/** Memory where there is enough of it (no test's mail need outlive the run), else the temporary folder. */
function roomyTemporaryFolder(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > roomyBytes ? memory : tmpdir()
}

async function portsFor(first: number | undefined, index: number): Promise<[number, number]> {
  if (first !== undefined) return [first + 2 * index, first + 2 * index + 1]
  return [await freePort(), await freePort()]
}
