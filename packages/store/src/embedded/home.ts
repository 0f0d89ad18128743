import { chmod, lstat, mkdir, readdir, realpath, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { randomBase62, type Log } from '@postern/core'
import { sharedFolder } from './binaries.ts'
import { canEnter } from './run-as.ts'
import type { RunAs } from './run-command.ts'
import { fileFault, startFault } from './start-fault.ts'

/**
 * The database's part of a data folder: `<data>/postgres`, or a link of that name to a folder under
 * /var/lib/postern where the system user could not reach it. It belongs to the user of the service; only
 * `cluster` inside belongs to the user of the server.
 */
export interface Home {
  readonly directory: string
  readonly cluster: string
  readonly lockFile: string
  readonly settingsFile: string
}

const homeName = 'postgres'
// Others may pass through to what is theirs, and list nothing.
const passThrough = 0o711

/** Makes it if missing. @throws internal_error where it cannot be written or reached. */
export async function openHome(dataDir: string, runAs: RunAs | null, log: Log): Promise<Home> {
  const path = join(resolve(dataDir), homeName)
  try {
    await requireWholeLink(path)
    await mkdir(resolve(dataDir), { recursive: true, mode: runAs === null ? 0o700 : passThrough })
    if (runAs !== null) await openWay(resolve(dataDir))
    await makeUnlessThere(path)
    if (!(await canEnter(await realpath(path), runAs))) await moveHome(path, runAs, log)
    return homeAt(await realpath(path))
  } catch (error) {
    throw fileFault(resolve(dataDir), error)
  }
}

/** Removes the database of a data folder, wherever it lies. For temporary folders; nothing may be running there. */
export async function removeHome(dataDir: string): Promise<void> {
  const home = await findHome(dataDir)
  if (home !== null) await rm(home.directory, { recursive: true, force: true })
  await rm(join(resolve(dataDir), homeName), { recursive: true, force: true })
}

/** The home of a data folder that has one, else null. Writes nothing. */
export async function findHome(dataDir: string): Promise<Home | null> {
  const directory = await realpath(join(resolve(dataDir), homeName)).catch(() => null)
  return directory === null ? null : homeAt(directory)
}

function homeAt(directory: string): Home {
  return {
    directory,
    cluster: join(directory, 'cluster'),
    lockFile: join(directory, 'lock'),
    settingsFile: join(directory, 'server.json'),
  }
}

/** A link whose folder is gone was a database: making a new one in its place would hide that. */
async function requireWholeLink(path: string): Promise<void> {
  const isLink = (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false
  if (!isLink || (await stat(path).catch(() => null)) !== null) return
  throw startFault(
    'data_folder_unreachable',
    `The database that ${path} leads to is gone. Restore it from a backup, or remove the link to begin anew.`,
  )
}

/** Lets the server's user pass through a folder of ours in which there is nothing that others could read. */
async function openWay(directory: string): Promise<void> {
  const { mode, uid } = await stat(directory)
  if (uid !== process.getuid?.() || (mode & 0o011) === 0o011) return
  const names = (await readdir(directory)).filter((name) => name !== homeName)
  const entries = await Promise.all(names.map((name) => lstat(join(directory, name))))
  if (entries.every((entry) => (entry.mode & 0o077) === 0)) await chmod(directory, mode | 0o011)
}

async function makeUnlessThere(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null) await mkdir(path, { mode: passThrough, recursive: true })
}

/** Replaces an empty home by a link to a folder that the system user can reach. */
async function moveHome(path: string, runAs: RunAs | null, log: Log): Promise<void> {
  const isLink = (await lstat(path)).isSymbolicLink()
  if (runAs === null || isLink || (await readdir(path)).length > 0) {
    throw startFault(
      'data_folder_unreachable',
      `The user that runs PostgreSQL cannot reach ${path}. Move the data folder, open the way to it, or set POSTERN_DATA_DIR.`,
    )
  }
  const target = join(sharedFolder, 'clusters', randomBase62(12))
  await mkdir(target, { recursive: true, mode: passThrough })
  await rmdir(path)
  await symlink(target, path)
  log.info('database_folder_moved', { directory: target })
}
