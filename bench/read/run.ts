import { readFile } from 'node:fs/promises'
import { mailServers, mailServersVariable } from '@postern/fixtures'
import { startMailServers } from '../../scripts/mail-servers/start.ts'
import { printMeasures, type Measure } from '../report.ts'
import { fillMailbox } from './mailbox.ts'
import { measureMemory } from './memory.ts'
import { measureOctets } from './octets.ts'
import { connectReference } from './reference.ts'
import { startService } from '../service.ts'
import type { Stage } from '../stage.ts'
import { measureLatency } from './latency.ts'
import { measureThread } from './thread.ts'
import { measureThroughput } from './throughput.ts'
import { measureTokens } from './tokens.ts'

/** Prints every measure of reading beside its bound; the process ends with 1 if a bound was missed. */
export async function benchRead(parts: readonly string[]): Promise<void> {
  const servers = process.env[mailServersVariable] === undefined ? await startMailServers() : null
  if (servers !== null) process.env[mailServersVariable] = servers.value
  const { dovecot } = mailServers()
  const user = dovecot.user(1)
  const ca = await readFile(dovecot.caFile, 'utf8')
  const mail = {
    host: dovecot.host,
    port: dovecot.imapsPort,
    plainPort: dovecot.imapPort,
    user: user.username,
    pass: user.password,
    ca,
  }
  console.log('Filling a mailbox with 100,000 messages ...')
  const filler = await connectReference({ ...mail, folder: 'INBOX' })
  await fillMailbox(filler)
  await filler.logout()
  const service = await startService(dovecot.caFile)
  try {
    const { tenant_id: tenantId } = await service.cli(['tenant', 'create', 'Bench'])
    const connect = ['inbox', 'connect', 'imap', '--address', user.email, '--username', user.username]
    const where = ['--host', mail.host, '--port', String(mail.port), '--tls', 'implicit', '--password-stdin']
    const { inbox_id: inboxId } = await service.cli([...connect, ...where], user.password)
    const { key } = await service.cli([
      'key',
      'create',
      '--scopes',
      'read:email,search:email',
      '--inbox',
      String(inboxId),
    ])
    const stage: Stage = {
      service,
      key: String(key),
      inboxId: String(inboxId),
      tenantId: String(tenantId),
      mail,
    }
    const measures: Measure[] = []
    const all: Readonly<Record<string, (stage: Stage) => Promise<readonly Measure[]>>> = {
      latency: measureLatency,
      octets: measureOctets,
      thread: measureThread,
      throughput: measureThroughput,
      tokens: measureTokens,
      memory: () => measureMemory(dovecot),
    }
    for (const [name, measure] of Object.entries(all)) {
      if (parts.length > 0 && !parts.includes(name)) continue
      const found = await measure(stage)
      measures.push(...found)
      printMeasures(found)
    }
    console.log()
    printMeasures(measures)
    process.exitCode = measures.every(({ isWithin }) => isWithin) ? 0 : 1
  } finally {
    await service.stop()
    await servers?.stop()
  }
}
