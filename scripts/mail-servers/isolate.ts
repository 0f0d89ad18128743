import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, mkdir, writeFile, chown } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dockerAdvice } from './install.ts'

/** The user that owns every mailbox; it exists only inside the servers' own view of the system. */
export const mailUid = 5000

/** Postfix insists on a user and a group that nothing else has. */
export const postfixUid = 5003
export const postdropGid = 5004

/** Users the servers expect to find by name, with the ids they get in the private /etc/passwd. */
const users: Readonly<Record<string, number>> = {
  vmail: mailUid,
  cyrus: mailUid,
  courier: mailUid,
  dovecot: 5001,
  dovenull: 5002,
  postfix: postfixUid,
  postdrop: postdropGid,
}

export interface Isolated {
  /** Unpacked packages, laid over /usr and /etc. */
  readonly root: string
  /** The instance's own folder; `run` in it stands in for /run, `etc` is laid over /etc. */
  readonly folder: string
  /** Shell lines that start the server; each long-running one in the foreground with a trailing `&`. */
  readonly script: string
  /** Ports that must accept a connection before the server counts as started. */
  readonly ports: readonly number[]
}

export interface RunningServer {
  readonly pid: number
  stop(): Promise<void>
}

/**
 * Starts a server that believes itself installed: in a mount namespace of its own the unpacked packages lie
 * over /usr and /etc, so compiled-in paths hold while the machine outside stays as it is. It also gets a
 * process namespace whose first process waits for the end of its input. When this process ends, however it
 * ends, that input closes and the kernel removes every process of the server.
 */
export async function startIsolated(server: Isolated): Promise<RunningServer> {
  await writeSystemFiles(server.folder)
  const logFile = join(server.folder, 'log')
  const log = await open(logFile, 'a')
  const flags = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const child = spawn('unshare', [...flags, '/bin/sh', '-c', wrap(server)], {
    stdio: ['pipe', log.fd, log.fd],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  const exited = once(child, 'exit')
  await log.close()
  const stop = async (): Promise<void> => {
    child.stdin?.end()
    await exited
  }
  try {
    for (const port of server.ports) await waitForPort(port, child)
  } catch (error) {
    await stop()
    const tail = (await readFile(logFile, 'utf8')).split('\n').slice(-20).join('\n')
    throw new Error(
      `A test mail server did not start. Its log ends:\n${tail}\nOr use docker: ${dockerAdvice}`,
      {
        cause: error,
      },
    )
  }
  return { pid: child.pid ?? 0, stop }
}

function wrap({ root, folder, script }: Isolated): string {
  return [
    'set -e',
    `mount -t overlay overlay -o lowerdir=${root}/usr:/usr /usr`,
    `mount -t overlay overlay -o lowerdir=${folder}/etc:${root}/etc:/etc /etc`,
    `mount --bind ${folder}/run /run`,
    script,
    'cat >/dev/null',
  ].join('\n')
}

async function writeSystemFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'etc'), { recursive: true })
  await mkdir(join(folder, 'run'), { recursive: true })
  await chown(join(folder, 'run'), mailUid, mailUid)
  const entries = Object.entries(users)
  const passwd = entries.map(
    ([name, id]) => `${name}:x:${String(id)}:${String(id)}::/nonexistent:/bin/false\n`,
  )
  const group = entries.map(([name, id]) => `${name}:x:${String(id)}:\n`)
  // First match wins, so these stand before what the machine has.
  await writeFile(join(folder, 'etc/passwd'), passwd.join('') + (await readFile('/etc/passwd', 'utf8')))
  await writeFile(join(folder, 'etc/group'), group.join('') + (await readFile('/etc/group', 'utf8')))
}

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  const end = Date.now() + 20_000
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`it exited with status ${String(child.exitCode)}`)
    if (Date.now() > end) throw new Error(`nothing listens on port ${String(port)} after 20 seconds`)
    await sleep(20)
  }
}

/** Whether something answers on a port of this machine, or on the socket at a path. */
export async function accepts(where: number | string): Promise<boolean> {
  const socket = typeof where === 'number' ? connect(where, '127.0.0.1') : connect(where)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  const answer = await promise
  socket.destroy()
  return answer
}
