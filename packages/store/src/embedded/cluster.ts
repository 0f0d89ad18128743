import { chown, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import type { Home } from './home.ts'
import { runCommand, type RunAs } from './run-command.ts'
import { superuser, type ServerSettings } from './server-settings.ts'
import { explainOutput, fileFault, startFault } from './start-fault.ts'

export interface ClusterOptions {
  readonly binaries: Binaries
  readonly runAs: RunAs | null
  /** False for a server of tests, which need not survive a crash of the machine. */
  readonly isDurable: boolean
}

/**
 * Makes the database cluster unless it is there. initdb works in a folder beside, which takes the final name
 * when it is whole: a start that was killed half-way leaves nothing that looks like a database.
 * @throws internal_error; also for a cluster that another major version made.
 */
export async function openCluster(
  home: Home,
  settings: ServerSettings,
  options: ClusterOptions,
): Promise<void> {
  const { binaries, runAs } = options
  const found = await stat(home.cluster).catch(() => null)
  if (found !== null) {
    await requireVersion(home, binaries)
    return
  }
  const half = `${home.cluster}.new`
  const passwordFile = join(home.directory, 'initial-password')
  try {
    await rm(half, { recursive: true, force: true })
    await mkdir(half, { mode: 0o700 })
    await writeFor(runAs, passwordFile, settings.superuserPassword)
    if (runAs !== null) await chown(half, runAs.uid, runAs.gid)
    const { code, stderr } = await runCommand(binaries.initdb, initArguments(half, passwordFile, options), {
      runAs,
      timeoutSeconds: 120,
    })
    if (code !== 0) throw explainOutput(home.directory, stderr)
    await rename(half, home.cluster)
  } catch (error) {
    await rm(half, { recursive: true, force: true }).catch(() => undefined)
    throw fileFault(home.directory, error)
  } finally {
    await rm(passwordFile, { force: true }).catch(() => undefined)
  }
}

function initArguments(directory: string, passwordFile: string, { isDurable }: ClusterOptions): string[] {
  return [
    ...(isDurable ? [] : ['--no-sync']),
    `--pgdata=${directory}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // The server's own C.UTF-8 sorts the same on every system, so that a data folder can move between them.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
}

async function requireVersion(home: Home, binaries: Binaries): Promise<void> {
  const version = await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    throw fileFault(home.directory, error)
  })
  if (version.trim() === binaries.major) return
  throw startFault(
    'cluster_version',
    `The database in ${home.directory} was made by PostgreSQL ${version.trim()}, this release brings ${binaries.major}. ` +
      'Start the earlier release, dump the database, and restore it into a new data folder.',
  )
}

/** The folder is ours alone to write, so nobody can have put a link in the place of this file. */
async function writeFor(runAs: RunAs | null, path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    if (runAs !== null) await file.chown(runAs.uid, runAs.gid)
  } finally {
    await file.close()
  }
}
