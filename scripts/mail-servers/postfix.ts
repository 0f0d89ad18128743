import { chmod, chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Certificates } from './ca.ts'
import { postdropGid, postfixUid, startIsolated, type RunningServer } from './isolate.ts'

/** Debian packages it is unpacked from. */
export const postfixPackages: readonly string[] = ['postfix']

export interface PostfixOptions {
  /** Its unpacked packages. */
  readonly root: string
  /** An empty folder of its own: the queue lies in it. */
  readonly folder: string
  readonly listen: string
  /** STARTTLS, demanded before the login. */
  readonly submissionPort: number
  /** TLS from the first octet. */
  readonly submissionsPort: number
  readonly certificates: Certificates
  /** Folders of the servers it delivers to; they need not be up yet. */
  readonly mailboxes: { readonly dovecot: string; readonly cyrus: string; readonly courier: string }
}

/**
 * Postfix as the submission server of every test user. It asks Dovecot whether a login is right, and delivers what is
 * for `example.test` by LMTP to Dovecot, to Cyrus for users of that name, and into the Maildirs of Courier. Whatever
 * is for elsewhere is taken and comes back as a bounce.
 */
export async function startPostfix(options: PostfixOptions): Promise<RunningServer> {
  const { root, folder, submissionPort, submissionsPort } = options
  await makeQueue(folder)
  const configuration = join(folder, 'config')
  await mkdir(configuration)
  await writeFile(join(configuration, 'main.cf'), mainConfiguration(options))
  await writeFile(join(configuration, 'master.cf'), services(options))
  await writeFile(join(configuration, 'transport'), transports(options))
  await writeFile(join(configuration, 'outcomes'), outcomes)
  await writeFile(join(configuration, 'deliver'), deliverToMaildir(options))
  const script = `/usr/lib/postfix/sbin/master -d -c ${configuration} &`
  return startIsolated({ root, folder, script, ports: [submissionPort, submissionsPort] })
}

// Chosen failures, one address each.
const outcomes = `
/^reject@/   550 5.1.1 no such user here
/^greylist@/ 450 4.2.0 greylisted, try again later
/^full@/     552 5.2.2 mailbox is full
/^policy@/   554 5.7.1 blocked by policy
`

// What the start script of Postfix would make and check, which takes it a second.
const ownQueues = 'active bounce corrupt defer deferred flush hold incoming private saved trace'.split(' ')

async function makeQueue(folder: string): Promise<void> {
  const queue = join(folder, 'queue')
  await mkdir(join(queue, 'pid'), { recursive: true })
  const make = async (path: string, mode: number, group = postfixUid): Promise<void> => {
    await mkdir(path)
    await chown(path, postfixUid, group)
    await chmod(path, mode)
  }
  for (const name of ownQueues) await make(join(queue, name), 0o700)
  await make(join(queue, 'maildrop'), 0o1730, postdropGid)
  await make(join(queue, 'public'), 0o710, postdropGid)
  await make(join(folder, 'data'), 0o700)
}

function mainConfiguration({ folder, certificates, mailboxes }: PostfixOptions): string {
  const table = (name: string): string => `regexp:${folder}/config/${name}`
  return `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/mail.log
maillog_file_prefixes = ${folder}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.test
myorigin = example.test
mydestination =
mynetworks =
alias_maps =
local_recipient_maps =
notify_classes =
smtp_dns_support_level = disabled
smtpd_peername_lookup = no
smtpd_error_sleep_time = 0
smtpd_client_connection_count_limit = 0
in_flow_delay = 0
virtual_mailbox_domains = example.test
virtual_transport = lmtp:unix:${mailboxes.dovecot}/base/lmtp
transport_maps = ${table('transport')}
default_transport = error:5.1.2 no way to this domain from a test
relay_transport = error:5.1.2 no way to this domain from a test
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access ${table('outcomes')}
smtpd_tls_cert_file = ${certificates.certificateFile}
smtpd_tls_key_file = ${certificates.keyFile}
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = ${mailboxes.dovecot}/base/auth-smtp
smtputf8_enable = yes
message_size_limit = 26214400
minimal_backoff_time = 2s
maximal_backoff_time = 4s
queue_run_delay = 2s
maximal_queue_lifetime = 1m
bounce_queue_lifetime = 1m
`
}

function transports({ mailboxes }: PostfixOptions): string {
  return `
/^cyrus-[0-9a-z-]+@example\\.test$/   lmtp:unix:${mailboxes.cyrus}/socket/lmtp
/^courier-[0-9a-z-]+@example\\.test$/ maildir:
`
}

// Courier's own delivery is another package, of which this is all that is needed.
function deliverToMaildir({ mailboxes }: PostfixOptions): string {
  return `
set -eu
cd ${mailboxes.courier}/home
mkdir -p "$1/Maildir/cur" "$1/Maildir/new" "$1/Maildir/tmp"
cd "$1/Maildir"
name="$(date +%s.%N).$$.mail"
cat >"tmp/$name"
mv "tmp/$name" "new/$name"
`
}

// Name, type, private, unprivileged, chroot, wakeup, maximum of processes, command.
function services({ folder, listen, submissionPort, submissionsPort }: PostfixOptions): string {
  return `
${listen}:${String(submissionPort)} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
${listen}:${String(submissionsPort)} inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
tlsmgr unix - - n 1000? 1 tlsmgr
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
error unix - - n - - error
retry unix - - n - - error
maildir unix - n n - - pipe
  flags=R user=vmail argv=/bin/sh ${folder}/config/deliver \${recipient}
lmtp unix - - n - - lmtp
postlog unix-dgram n - n - 1 postlogd
`
}
