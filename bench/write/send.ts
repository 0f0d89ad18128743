import { createTransport } from 'nodemailer'
import { callTool } from '../mcp-call.ts'
import { median, type Measure } from '../report.ts'
import type { WriteStage } from './write-stage.ts'

const rounds = 40
const warmUp = 8
const boundMs = 15

/** A send through the service, the sender's copy included, against bare nodemailer giving the same to the same server. */
export async function measureSend({
  service,
  key,
  mail,
  smtp,
  friend,
}: WriteStage): Promise<readonly Measure[]> {
  const text = 'Words of a letter.\n'.repeat(20)
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: true,
    auth: { user: mail.user, pass: mail.pass },
    tls: { ca: mail.ca },
  })
  const times = { reference: [] as number[], tool: [] as number[] }
  for (let round = -warmUp; round < rounds; round++) {
    const subject = `Letter ${String(round)}`
    const from = performance.now()
    const args = { action: 'send', to: [friend], subject, body: text }
    const { structuredContent } = await callTool(service.url, key, 'email_compose', args)
    const between = performance.now()
    if (structuredContent?.['outcome'] !== 'sent') throw new Error(JSON.stringify(structuredContent))
    await transport.sendMail({ from: mail.user, to: friend, subject, text })
    if (round < 0) continue
    times.tool.push(between - from)
    times.reference.push(performance.now() - between)
  }
  transport.close()
  const [slow, fast] = [median(times.tool), median(times.reference)]
  const added = slow - fast
  return [
    {
      what: 'send: added to bare nodemailer',
      found: `${added.toFixed(1)} ms (${slow.toFixed(1)} against ${fast.toFixed(1)})`,
      bound: `at most ${String(boundMs)} ms`,
      isWithin: added <= boundMs,
    },
  ]
}
