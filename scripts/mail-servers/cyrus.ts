import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mailUid, startIsolated, type RunningServer } from './isolate.ts'
import { listenAsSaslauthd } from './saslauthd.ts'
import type { ServerOptions, TestServerKind } from './server-kind.ts'

const run = promisify(execFile)

/**
 * Cyrus: OBJECTID, MOVE, UIDPLUS, SPECIAL-USE in lower case, CONDSTORE; refuses the same message many times
 * over. Any user, made at the first login.
 */
export const cyrus: TestServerKind = { packages: ['cyrus-imapd', 'libsasl2-modules'], start }

async function start(options: ServerOptions): Promise<RunningServer> {
  const { root, folder, imapPort, imapsPort } = options
  for (const name of ['lib', 'spool', 'proc', 'lock', 'socket']) await mkdir(join(folder, name))
  await writeFile(join(folder, 'imapd.conf'), configuration(options))
  await writeFile(join(folder, 'cyrus.conf'), services(options))
  await run('chown', ['-R', `${String(mailUid)}:${String(mailUid)}`, folder])
  const saslauthd = await listenAsSaslauthd(join(folder, 'saslauthd'))
  const script = `/usr/sbin/cyrmaster -C ${folder}/imapd.conf -M ${folder}/cyrus.conf -p ${folder}/master.pid &`
  try {
    const server = await startIsolated({ root, folder, script, ports: [imapPort, imapsPort] })
    const stop = async (): Promise<void> => {
      await server.stop()
      saslauthd.close()
    }
    return { pid: server.pid, stop }
  } catch (error) {
    saslauthd.close()
    throw error
  }
}

const folders = ['Drafts', 'Sent', 'Trash', 'Junk', 'Archive']

// skiplist_unsafe: no fsync; on a disk each APPEND would otherwise take a tenth of a second.
function configuration({ folder, certificates }: ServerOptions): string {
  return `
configdirectory: ${folder}/lib
proc_path: ${folder}/proc
mboxname_lockpath: ${folder}/lock
defaultpartition: default
partition-default: ${folder}/spool
skiplist_unsafe: yes
altnamespace: yes
unixhierarchysep: yes
virtdomains: userid
defaultdomain: example.test
servername: localhost
hashimapspool: yes
munge8bit: no
allowplaintext: yes
sasl_mech_list: PLAIN LOGIN
sasl_pwcheck_method: saslauthd
sasl_saslauthd_path: ${folder}/saslauthd
tls_server_cert: ${certificates.certificateFile}
tls_server_key: ${certificates.keyFile}
autocreate_quota: 0
autocreate_post: yes
autocreate_inbox_folders: ${folders.join('|')}
autocreate_subscribe_folders: ${folders.join('|')}
${folders.map((name) => `xlist-${name.toLowerCase()}: ${name}`).join('\n')}
failedloginpause: 0
conversations: yes
imapidlepoll: 1
idlesocket: ${folder}/socket/idle
notifysocket: ${folder}/socket/notify
lmtpsocket: ${folder}/socket/lmtp
`
}

function services({ folder, listen, imapPort, imapsPort }: ServerOptions): string {
  const imapd = `/usr/lib/cyrus/bin/imapd -C ${folder}/imapd.conf -U 30`
  return `
START {
  recover cmd="/usr/lib/cyrus/bin/ctl_cyrusdb -C ${folder}/imapd.conf -r"
}
SERVICES {
  imap  cmd="${imapd}" listen="${listen}:${String(imapPort)}" prefork=1 maxchild=200
  imaps cmd="${imapd} -s" listen="${listen}:${String(imapsPort)}" prefork=1 maxchild=200
  lmtp  cmd="/usr/lib/cyrus/bin/lmtpd -C ${folder}/imapd.conf" listen="${folder}/socket/lmtp" prefork=1 maxchild=20
}
EVENTS {
}
`
}
