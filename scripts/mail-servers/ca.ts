import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Files of an authority made for one run and of the server certificate it signed. */
export interface Certificates {
  /** What clients must trust. */
  readonly caFile: string
  readonly certificateFile: string
  readonly keyFile: string
}

// `mail-servers` is the service of docker-compose.yml. The file is ours because a machine may have the
// openssl command without its configuration.
const configuration = `
[req]
distinguished_name = name
[name]
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[server]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost,DNS:mail-servers,IP:127.0.0.1
`

/**
 * Makes a certificate authority and a server certificate in `folder`, readable by every user.
 * @param root unpacked packages that hold `openssl` and its libraries where the machine does not.
 */
export async function makeCertificates(folder: string, root: string): Promise<Certificates> {
  await mkdir(folder, { recursive: true })
  const env = {
    PATH: [process.env['PATH'] ?? '', join(root, 'usr/bin')].join(delimiter),
    LD_LIBRARY_PATH: globSync('usr/lib/*-linux-gnu', { cwd: root })
      .map((name) => join(root, name))
      .join(delimiter),
  }
  const openssl = async (...args: readonly string[]): Promise<void> => {
    await run('openssl', args, { cwd: folder, env })
  }
  await writeFile(join(folder, 'openssl.cnf'), configuration)
  const request = [
    'req',
    '-config',
    'openssl.cnf',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
  ]
  const authority = [
    '-x509',
    '-extensions',
    'authority',
    '-days',
    '3650',
    '-subj',
    '/CN=Postern test authority',
  ]
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', '2', '-days', '3650']
  const extensions = ['-extfile', 'openssl.cnf', '-extensions', 'server']
  await openssl(...request, ...authority, '-keyout', 'ca.key', '-out', 'ca.pem')
  await openssl(...request, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr')
  await openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signing, ...extensions)
  // Throw-away keys: each server reads them as a user of its own.
  await chmod(join(folder, 'server.key'), 0o644)
  const file = (name: string): string => join(folder, name)
  return { caFile: file('ca.pem'), certificateFile: file('server.pem'), keyFile: file('server.key') }
}
