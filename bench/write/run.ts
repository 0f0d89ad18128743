import { readFile } from 'node:fs/promises'
import { mailServers, mailServersVariable, submissionServer } from '@postern/fixtures'
import { startMailServers } from '../../scripts/mail-servers/start.ts'
import { printMeasures, type Measure } from '../report.ts'
import { startService } from '../service.ts'
import { measureDraft } from './draft.ts'
import { measureMove } from './move.ts'
import { measureSend } from './send.ts'
import type { WriteStage } from './write-stage.ts'

/** Prints every measure of writing beside its bound; the process ends with 1 if a bound was missed. */
export async function benchWrite(parts: readonly string[]): Promise<void> {
  const servers = process.env[mailServersVariable] === undefined ? await startMailServers() : null
  if (servers !== null) process.env[mailServersVariable] = servers.value
  const { dovecot } = mailServers()
  const { host: smtpHost, submissionsPort: smtpPort } = submissionServer()
  const user = dovecot.user(1)
  const ca = await readFile(dovecot.caFile, 'utf8')
  const { host, imapsPort: port, imapPort: plainPort } = dovecot
  const mail = { host, port, plainPort, user: user.username, pass: user.password, ca }
  const service = await startService(dovecot.caFile)
  try {
    const { tenant_id: tenantId } = await service.cli(['tenant', 'create', 'Bench'])
    const connect = ['inbox', 'connect', 'imap', '--address', user.email, '--username', user.username]
    const where = ['--host', host, '--port', String(port), '--tls', 'implicit', '--password-stdin']
    const out = ['--smtp-host', smtpHost, '--smtp-port', String(smtpPort), '--smtp-tls', 'implicit']
    const { inbox_id: inboxId } = await service.cli([...connect, ...where, ...out], user.password)
    const scopes = 'read:email,search:email,organize:email,manage:drafts,send:email'
    const { key } = await service.cli(['key', 'create', '--scopes', scopes, '--inbox', String(inboxId)])
    const stage: WriteStage = {
      service,
      key: String(key),
      inboxId: String(inboxId),
      tenantId: String(tenantId),
      mail,
      smtp: { host: smtpHost, port: smtpPort },
      friend: dovecot.user(2).email,
    }
    const all: Readonly<Record<string, (stage: WriteStage) => Promise<readonly Measure[]>>> = {
      move: measureMove,
      draft: measureDraft,
      send: measureSend,
    }
    const measures: Measure[] = []
    for (const [name, measure] of Object.entries(all)) {
      if (parts.length === 0 || parts.includes(name)) measures.push(...(await measure(stage)))
    }
    console.log()
    printMeasures(measures)
    process.exitCode = measures.every(({ isWithin }) => isWithin) ? 0 : 1
  } finally {
    await service.stop()
    await servers?.stop()
  }
}
