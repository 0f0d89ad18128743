import { ImapFlow } from 'imapflow'
import { callTool } from '../mcp-call.ts'
import { median, ratio, type Measure } from '../report.ts'
import type { WriteStage } from './write-stage.ts'

const rounds = 60
const warmUp = 15

/** A draft made through the service, against APPEND and one FETCH that reads it back, on a warm connection. */
export async function measureDraft({ service, key, mail, friend }: WriteStage): Promise<readonly Measure[]> {
  const client = new ImapFlow({
    host: mail.host,
    port: mail.port,
    secure: true,
    auth: { user: mail.user, pass: mail.pass },
    tls: { ca: mail.ca },
    logger: false,
  })
  await client.connect()
  await client.mailboxOpen('Drafts')
  const times = { reference: [] as number[], tool: [] as number[] }
  for (let round = -warmUp; round < rounds; round++) {
    const subject = `Draft ${String(round)}`
    const from = performance.now()
    await callTool(service.url, key, 'draft', {
      action: 'create',
      to: [friend],
      subject,
      body: 'Words of a draft.\n'.repeat(20),
    })
    const between = performance.now()
    await appendAndRead(client, mail.user, { subject, to: friend })
    if (round < 0) continue
    times.tool.push(between - from)
    times.reference.push(performance.now() - between)
  }
  await client.logout()
  const [slow, fast] = [median(times.tool), median(times.reference)]
  return [
    ratio(
      'draft create / reference',
      slow / fast,
      1.5,
      `${slow.toFixed(1)} ms against ${fast.toFixed(1)} ms`,
    ),
  ]
}

async function appendAndRead(
  client: ImapFlow,
  own: string,
  { subject, to }: { readonly subject: string; readonly to: string },
): Promise<void> {
  const head = [`From: ${own}`, `To: ${to}`, `Subject: ${subject}`, `Message-ID: <${Math.random()}@bench>`]
  const octets = Buffer.from([...head, '', 'Words of a draft.\r\n'.repeat(20)].join('\r\n'))
  const appended = await client.append('Drafts', octets, ['\\Draft'])
  if (appended === false || appended?.uid === undefined) throw new Error('no draft was stored')
  const stored = await client.fetchOne(appended.uid, { uid: true, flags: true, source: true }, { uid: true })
  if (stored === false || stored?.source?.equals(octets) !== true) throw new Error('another draft was stored')
}
