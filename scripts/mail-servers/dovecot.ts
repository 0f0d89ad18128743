import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mailUid, startIsolated, type RunningServer } from './isolate.ts'
import { password, type ServerOptions, type TestServerKind } from './server-kind.ts'

/** Dovecot: MOVE, UIDPLUS, SPECIAL-USE, CONDSTORE, ESEARCH; no OBJECTID. Any user, made at the first login. */
export const dovecot: TestServerKind = { packages: ['dovecot-imapd', 'dovecot-lmtpd', 'openssl'], start }

async function start(options: ServerOptions): Promise<RunningServer> {
  const { root, folder, imapPort, imapsPort } = options
  for (const name of ['home', 'state', 'base']) await mkdir(join(folder, name))
  await chown(join(folder, 'home'), mailUid, mailUid)
  await writeFile(join(folder, 'dovecot.conf'), configuration(options))
  const script = `/usr/sbin/dovecot -F -c ${folder}/dovecot.conf &`
  return startIsolated({ root, folder, script, ports: [imapPort, imapsPort] })
}

// Dovecot 2.3 wants a line break after every opening brace. `mail_fsync = never`: a test's mail need not
// survive a power cut. The auth penalty, which delays an address after a wrong password, is off: all tests share one.
function configuration({ folder, listen, imapPort, imapsPort, certificates }: ServerOptions): string {
  return `
base_dir = ${folder}/base
state_dir = ${folder}/state
log_path = /dev/stderr
protocols = imap lmtp
listen = ${listen}
ssl = yes
ssl_cert = <${certificates.certificateFile}
ssl_key = <${certificates.keyFile}
auth_mechanisms = plain login
auth_failure_delay = 0
disable_plaintext_auth = no
first_valid_uid = ${String(mailUid)}
mail_location = mdbox:~/mdbox
mail_fsync = never
mail_max_userip_connections = 50
default_client_limit = 2000
default_process_limit = 500
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${String(mailUid)} gid=${String(mailUid)} home=${folder}/home/%u allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = /
${['Drafts', 'Sent', 'Trash', 'Junk', 'Archive'].map(specialFolder).join('\n')}
}
${services(imapPort, imapsPort)}`
}

function services(imapPort: number, imapsPort: number): string {
  return `
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service auth {
  unix_listener auth-smtp {
    mode = 0666
  }
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${String(imapPort)}
  }
  inet_listener imaps {
    port = ${String(imapsPort)}
    ssl = yes
  }
}
`
}

function specialFolder(name: string): string {
  return `  mailbox ${name} {\n    special_use = \\${name}\n    auto = subscribe\n  }`
}
