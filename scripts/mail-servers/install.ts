import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Where unpacked servers are kept between runs. Nothing is installed: no maintainer script runs, no system
 * user or service is made, and the packages, which conflict with one another, never meet.
 */
const cache = '/var/cache/postern-test-servers'

// The packages of one server, and the stem of every package that must not be taken from the machine itself:
// a copy already installed there would hide what the private root lacks.
const families = /^Package: (?:dovecot|cyrus|courier|libcourier|gamin|libgamin|postfix)/

// Dependencies of the packages, never of the servers as run here.
const unwanted = /^(?:exim4|postfix|default-mta)/

/** Names the folder of a list of packages, so that a longer list is unpacked anew. */
const folderOf = (packages: readonly string[]): string => packages.join('+')

/**
 * A folder that holds the files of `packages` and of every library this machine lacks for them, ready to be
 * laid over `/usr` and `/etc`. Takes seconds the first time and nothing afterwards.
 * @throws Error when this is not Debian, not root, or the packages cannot be fetched.
 */
export async function unpackPackages(packages: readonly string[]): Promise<string> {
  requireDebianRoot()
  const root = join(cache, folderOf(packages))
  if (existsSync(root)) return root
  const work = `${root}.${String(process.pid)}`
  try {
    await mkdir(work, { recursive: true })
    await fetchPackages(work, packages)
    await unpackInto(join(work, 'root'), await debs(work))
    // A half-made folder is never seen under the final name.
    await rename(join(work, 'root'), root)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(root)) throw error
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return root
}

function requireDebianRoot(): void {
  const debian = existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
  if (debian && process.getuid?.() === 0) return
  throw new Error(
    `The test mail servers are fetched from Debian packages, which needs Debian and root; this is ${
      debian ? 'not root' : 'not Debian'
    }.\nUse docker instead: ${dockerAdvice}`,
  )
}

/** How to get the servers where they cannot be started directly. */
export const dockerAdvice =
  'docker compose --profile test up -d --wait mail-servers\n' +
  '  export POSTERN_TEST_SERVERS="$(cat tmp/mail-servers/servers.json)"\n' +
  'then run the same command again.'

async function fetchPackages(work: string, packages: readonly string[]): Promise<void> {
  const status = join(work, 'status')
  await writeFile(status, await statusWithoutServers())
  const attempt = async (): Promise<void> => {
    const wanted = await missingPackages(status, packages)
    await run('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', 'download', ...wanted], { cwd: work })
  }
  try {
    await attempt()
  } catch {
    // No package lists yet (a container image), or lists older than the archive.
    await refreshed(attempt)
  }
}

async function refreshed(attempt: () => Promise<void>): Promise<void> {
  try {
    await run('apt-get', ['-qq', 'update'])
    await attempt()
  } catch (error) {
    const said = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      `The packages of the test mail servers could not be fetched.\n${said}\nOr use docker: ${dockerAdvice}`,
      { cause: error },
    )
  }
}

async function statusWithoutServers(): Promise<string> {
  const status = await readFile('/var/lib/dpkg/status', 'utf8')
  return status
    .split('\n\n')
    .filter((paragraph) => !families.test(paragraph))
    .join('\n\n')
}

async function missingPackages(status: string, packages: readonly string[]): Promise<string[]> {
  const args = ['-s', '-o', `Dir::State::status=${status}`, '--no-install-recommends', 'install', ...packages]
  const { stdout } = await run('apt-get', args)
  return [...stdout.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+) /gm)]
    .map(([, name = '', version = '']) => `${name}=${version}`)
    .filter((wanted) => !unwanted.test(wanted) || packages.some((name) => wanted.startsWith(`${name}=`)))
}

async function debs(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => name.endsWith('.deb')).map((name) => join(folder, name))
}

async function unpackInto(root: string, files: readonly string[]): Promise<void> {
  // Packages still name /lib and /bin; on Debian both are links into /usr, and only /usr is laid over.
  for (const folder of ['bin', 'lib', 'lib64', 'sbin']) {
    await mkdir(join(root, 'usr', folder), { recursive: true })
    await symlink(join('usr', folder), join(root, folder))
  }
  await mkdir(join(root, 'etc'), { recursive: true })
  for (const file of files) {
    const script = 'dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"'
    await run('/bin/sh', ['-c', script, 'unpack', file, root])
  }
}
