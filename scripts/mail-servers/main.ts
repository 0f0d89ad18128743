import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { password } from './server-kind.ts'
import { startMailServers } from './start.ts'

/**
 * `npm run test:servers`: the mail servers in the foreground until Ctrl-C, for tests run by hand.
 * What clients need is written to tmp/mail-servers, which a container shares with its host; the paths in it
 * are therefore relative to the repository.
 */
const { values } = parseArgs({ options: { listen: { type: 'string' }, 'first-port': { type: 'string' } } })
const published = 'tmp/mail-servers'
const descriptionFile = join(published, 'servers.json')
// Its presence means that they are up.
await rm(descriptionFile, { force: true })

const servers = await startMailServers({
  ...(values.listen === undefined ? {} : { listen: values.listen }),
  ...(values['first-port'] === undefined ? {} : { firstPort: Number(values['first-port']) }),
})
const { dovecot, cyrus, courier, postfix } = servers.addresses
const caFile = join(published, 'ca.pem')
const shown = <T extends { readonly caFile: string }>(address: T): T => ({ ...address, caFile })
await mkdir(published, { recursive: true })
await copyFile(dovecot.caFile, caFile)
const description = JSON.stringify({
  dovecot: shown(dovecot),
  cyrus: shown(cyrus),
  courier: shown(courier),
  postfix: shown(postfix),
})
await writeFile(descriptionFile, `${description}\n`)
console.log('Mail servers are up; Ctrl-C stops them. To connect mailboxes by hand:')
for (const [name, { imapPort, imapsPort }] of Object.entries({ dovecot, cyrus, courier })) {
  console.log(`  ${name.padEnd(7)}  IMAP ${String(imapPort)} (starttls), ${String(imapsPort)} (implicit)`)
}
console.log(
  `  postfix  SMTP ${String(postfix.submissionPort)} (starttls), ${String(postfix.submissionsPort)} (implicit)`,
)
console.log(
  `  Host ${dovecot.host}; any user name, such as ann@example.test; password ${password}; CA file ${caFile}`,
)
console.log('  What is sent to ann@example.test, or any other name there, arrives at Dovecot.')
console.log('For tests in another terminal:')
console.log(`  export POSTERN_TEST_SERVERS="$(cat ${descriptionFile})"`)

const stop = async (): Promise<void> => {
  await rm(descriptionFile, { force: true })
  await servers.stop()
  process.exit(0)
}
process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())
