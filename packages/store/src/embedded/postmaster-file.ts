import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from './home.ts'
import { runCommand } from './run-command.ts'
import { fileFault } from './start-fault.ts'

/** What a running server says of itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number
  readonly port: number
  readonly isReady: boolean
}

/**
 * @returns null when there is no such file or it is being written.
 * @throws internal_error when it may not be read, which is the case for another user's data folder.
 * Source: PostgreSQL, src/include/utils/pidfile.h: line 1 pid, 4 port, 8 status.
 */
export async function readPostmasterFile(home: Home): Promise<PostmasterFile | null> {
  let text: string
  try {
    text = await readFile(postmasterFile(home), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw fileFault(home.directory, error)
  }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  // A single-user server writes its pid negated; none of ours is one.
  if (!Number.isInteger(pid) || pid <= 1) return null
  return { pid, port: Number(lines[3] ?? 0), isReady: lines[7]?.trim() === 'ready' }
}

export function postmasterFile(home: Home): string {
  return join(home.cluster, 'postmaster.pid')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Whether a process is the server of this cluster, and not one that was given the same number later. */
export async function isServerOf(home: Home, pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  // A server changes into its data folder and stays there.
  if (process.platform === 'linux') {
    return (await readlink(`/proc/${String(pid)}/cwd`).catch(() => '')) === home.cluster
  }
  const { stdout } = await runCommand('ps', ['-o', 'command=', '-p', String(pid)], { runAs: null })
  return stdout.includes(home.cluster)
}
