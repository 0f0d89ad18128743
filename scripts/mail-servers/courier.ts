import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listenAsAuthdaemon } from './authdaemon.ts'
import { mailUid, startIsolated, type RunningServer } from './isolate.ts'
import type { ServerOptions, TestServerKind } from './server-kind.ts'

/**
 * Courier: UIDPLUS but neither MOVE, SPECIAL-USE nor CONDSTORE; every folder lies under `INBOX.`, and the
 * delimiter is a dot. Any user, made at the first login.
 */
export const courier: TestServerKind = { packages: ['courier-imap', 'gamin'], start }

async function start(options: ServerOptions): Promise<RunningServer> {
  const { root, folder, imapPort, imapsPort, certificates } = options
  const socketFolder = join(folder, 'run/courier/authdaemon')
  await mkdir(join(folder, 'home'))
  await chown(join(folder, 'home'), mailUid, mailUid)
  await mkdir(socketFolder, { recursive: true })
  const pem = join(folder, 'server.pem')
  await writeFile(
    pem,
    (await readFile(certificates.keyFile)) + '\n' + (await readFile(certificates.certificateFile)),
  )
  const authdaemon = await listenAsAuthdaemon(join(socketFolder, 'socket'), join(folder, 'home'))
  try {
    const ports = [imapPort, imapsPort]
    const server = await startIsolated({ root, folder, script: script(options, pem), ports })
    const stop = async (): Promise<void> => {
      await server.stop()
      authdaemon.close()
    }
    return { pid: server.pid, stop }
  } catch (error) {
    authdaemon.close()
    throw error
  }
}

const capabilities =
  'IMAP4rev1 UIDPLUS CHILDREN NAMESPACE THREAD=ORDEREDSUBJECT THREAD=REFERENCES SORT QUOTA IDLE'

// The variables are those of Courier's own start script; without them imapd offers nothing.
function script({ listen, imapPort, imapsPort }: ServerOptions, pem: string): string {
  const tcpd = `couriertcpd -address=${listen} -maxprocs=200 -maxperip=200 -nodnslookup -noidentlookup`
  const login = '/usr/lib/courier/courier/imaplogin /usr/bin/imapd Maildir'
  return `
export IMAP_CAPABILITY="${capabilities}" IMAP_CAPABILITY_TLS="${capabilities} AUTH=PLAIN"
export IMAP_KEYWORDS=1 IMAP_ACL=1 IMAP_IDLE_TIMEOUT=5 IMAP_ENHANCEDIDLE=0 IMAP_MAILBOX_SANITY_CHECK=1
export IMAP_DISABLETHREADSORT=0 IMAP_CHECK_ALL_FOLDERS=0 IMAP_OBSOLETE_CLIENT=0 IMAP_UMASK=022
export IMAP_ULIMITD=131072 IMAP_USELOCKS=1 IMAP_TRASHFOLDERNAME=Trash IMAP_EMPTYTRASH=
export IMAP_MOVE_EXPUNGE_TO_TRASH=0 IMAP_TLS_REQUIRED=0 COURIERTLS=/usr/bin/couriertls
export TLS_CERTFILE=${pem} TLS_VERIFYPEER=NONE
export MAILDIRPATH=Maildir SENDMAIL=/bin/false HEADERFROM=X-IMAP-Sender
IMAP_TLS=0 IMAP_STARTTLS=YES ${tcpd} ${String(imapPort)} ${login} &
IMAP_TLS=1 IMAP_STARTTLS=NO ${tcpd} ${String(imapsPort)} /usr/bin/couriertls -server -tcpd ${login} &
`
}
