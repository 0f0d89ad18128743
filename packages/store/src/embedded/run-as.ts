import type { Log } from '@postern/core'
import { runCommand, type RunAs } from './run-command.ts'
import { startFault } from './start-fault.ts'

const systemUser = 'postgres'

/**
 * Whom the server runs as: PostgreSQL refuses root, so root hands it to the system user `postgres`, made if
 * missing. Null for an ordinary user, who runs it himself.
 */
export async function chooseRunAs(log: Log): Promise<RunAs | null> {
  if (process.getuid?.() !== 0) return null
  const known = await findSystemUser()
  if (known !== null) return known
  await makeSystemUser()
  const made = await findSystemUser()
  if (made === null) {
    throw startFault(
      'no_system_user',
      'PostgreSQL does not run as root, and the system user "postgres" could not be made. ' +
        'Make it (useradd --system postgres), start as an ordinary user, or set DATABASE_URL.',
    )
  }
  log.info('database_system_user_made', { setting: systemUser })
  return made
}

async function findSystemUser(): Promise<RunAs | null> {
  const options = { runAs: null }
  const [user, group] = await Promise.all([
    runCommand('id', ['-u', systemUser], options),
    runCommand('id', ['-g', systemUser], options),
  ])
  if (user.code !== 0 || group.code !== 0) return null
  return { uid: Number(user.stdout), gid: Number(group.stdout) }
}

/** shadow-utils first, then the applets of small images; that neither worked shows in the look-up that follows. */
async function makeSystemUser(): Promise<void> {
  const options = { runAs: null }
  const useradd = ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', systemUser]
  if ((await runCommand('useradd', useradd, options)).code === 0) return
  await runCommand('addgroup', ['-S', systemUser], options)
  await runCommand('adduser', ['-S', '-D', '-H', '-s', '/bin/false', '-G', systemUser, systemUser], options)
}

/** Whether that user can enter a directory, asked of the system itself: modes alone would miss ACLs and mounts. */
export async function canEnter(directory: string, runAs: RunAs | null): Promise<boolean> {
  const { code } = await runCommand('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { runAs })
  return code === 0
}
