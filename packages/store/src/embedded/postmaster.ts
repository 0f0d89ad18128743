import { spawn, type ChildProcess } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@postern/core'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { isAlive, isServerOf, postmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { childEnvironment, type RunAs } from './run-command.ts'
import { explainOutput, startFault } from './start-fault.ts'

/** A server that accepts connections. */
export interface Postmaster {
  /** Settles when the process is gone, whoever ended it. */
  readonly exited: Promise<void>
  /** Ends sessions, writes a checkpoint, waits for the process. A second call waits for the first. */
  stop(): Promise<void>
}

export interface PostmasterOptions {
  readonly home: Home
  readonly port: number
  readonly binaries: Binaries
  readonly runAs: RunAs | null
  readonly log: Log
  /** Server settings beside ours, for tests. */
  readonly settings: Readonly<Record<string, string>>
}

const ourSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // Statements and the details of an error may hold an address: neither reaches a log.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
}

// Crash recovery replays what the last checkpoint left; a checkpoint at stop writes what memory holds.
const startSeconds = 120
const fastStopSeconds = 25
const immediateStopSeconds = 5

/**
 * Starts the server and waits until it accepts connections.
 * @throws internal_error, reason `port_in_use` when somebody took the port in the meantime.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { home, port, binaries, runAs, log } = options
  const settings = Object.entries({ ...ourSettings, ...options.settings, port: String(port) })
  const args = ['-D', home.cluster, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const child = spawn(binaries.postgres, args, {
    ...runAs,
    cwd: home.cluster,
    env: childEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Out of our process group: Ctrl-C in a terminal must not end the database before the service has drained.
    detached: true,
  })
  const words = forwardWords(child, log)
  const exited = whenExited(child)
  if (child.pid !== undefined) startWatchdog(child.pid, exited, runAs)
  await waitUntilReady(options, child, exited, words)
  child.unref()
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => (stopping ??= stopChild(child, exited))
  return { exited, stop }
}

/**
 * Ends a server that outlived its service, and removes what would keep a new one from starting. Only for the
 * holder of the data lock: then no living service can own that server.
 */
export async function stopOrphan(home: Home, log: Log): Promise<void> {
  const orphan = await readPostmasterFile(home)
  if (orphan === null || !isAlive(orphan.pid)) return
  if (!(await isServerOf(home, orphan.pid))) {
    // After a restart of the machine its number belongs to somebody else, for whom the server would wait forever.
    await rm(postmasterFile(home), { force: true })
    return
  }
  log.warn('database_orphan_stopped', { count: 1 })
  for (const [signal, seconds] of stopSignals) {
    if (!isAlive(orphan.pid)) return
    process.kill(orphan.pid, signal)
    await waitUntil(() => !isAlive(orphan.pid), seconds)
  }
}

const stopSignals = [
  ['SIGINT', fastStopSeconds],
  ['SIGQUIT', immediateStopSeconds],
  ['SIGKILL', immediateStopSeconds],
] as const

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref()
  for (const [signal, seconds] of stopSignals) {
    if (child.exitCode !== null || child.signalCode !== null) break
    child.kill(signal)
    const timer = new AbortController()
    await Promise.race([
      exited,
      sleep(seconds * 1000, undefined, { signal: timer.signal }).catch(() => undefined),
    ])
    timer.abort()
  }
  await exited
}

function whenExited(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  child.on('error', () => resolve())
  child.on('exit', () => resolve())
  return promise
}

/** The server's own words: kept for the Fault of a start that fails, forwarded to the log from FATAL upwards. */
function forwardWords(child: ChildProcess, log: Log): () => string {
  let words = ''
  child.on('error', (error) => {
    words += error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-8192)
    for (const line of text.split('\n')) {
      if (/\b(?:FATAL|PANIC):/.test(line)) log.warn('database_server', { cause: line })
    }
  })
  // Reading the server's words must not keep this process alive.
  if (child.stderr instanceof Socket) child.stderr.unref()
  return () => words
}

async function waitUntilReady(
  { home, port }: PostmasterOptions,
  child: ChildProcess,
  exited: Promise<void>,
  words: () => string,
): Promise<void> {
  let isGone = false
  exited.then(
    () => (isGone = true),
    () => undefined,
  )
  const isReady = async (): Promise<boolean> => {
    if (isGone) return true
    const file = await readPostmasterFile(home).catch(() => null)
    return file !== null && file.pid === child.pid && file.isReady
  }
  const inTime = await waitUntil(isReady, startSeconds)
  if (!isGone && inTime) return
  if (!isGone) await stopChild(child, exited)
  if (/Address already in use/.test(words())) {
    throw startFault(
      'port_in_use',
      `Port ${String(port)} of 127.0.0.1, chosen for the database, is taken by another program.`,
      words(),
    )
  }
  throw explainOutput(home.directory, words())
}

async function waitUntil(isDone: () => boolean | Promise<boolean>, seconds: number): Promise<boolean> {
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    if (await isDone()) return true
    await sleep(10)
  }
  return await isDone()
}

/**
 * Ends the server when this process is gone without having done so, also after kill -9: a shell waits on a
 * pipe whose other end only we hold. It runs as the server's user and can signal nobody else.
 */
function startWatchdog(pid: number, exited: Promise<void>, runAs: RunAs | null): void {
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(pid)], {
    ...runAs,
    cwd: '/',
    env: childEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without one (no shell on this system) a server left behind is ended by the next start.
  watchdog.on('error', () => undefined)
  if (watchdog.stdin instanceof Socket) watchdog.stdin.unref()
  watchdog.unref()
  exited.then(
    () => watchdog.kill('SIGKILL'),
    () => undefined,
  )
}
