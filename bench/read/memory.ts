import { setTimeout as delay } from 'node:timers/promises'
import type { TestMailServer } from '@postern/fixtures'
import type { Measure } from '../report.ts'
import { connectMany } from './connect-many.ts'
import { callTool } from '../mcp-call.ts'
import { startService } from '../service.ts'

const inboxes = 500
/** Past the two minutes after which an unused connection is closed. */
const idleMs = 150_000

/** Resident memory of a fresh service: idle, and after 500 inboxes were each read once and left alone. */
export async function measureMemory(server: TestMailServer): Promise<readonly Measure[]> {
  const service = await startService(server.caFile)
  try {
    const { tenant_id: tenantId } = await service.cli(['tenant', 'create', 'Memory'])
    await delay(3_000)
    const idle = await service.residentMiB()
    console.log(`\nConnecting ${inboxes} inboxes ...`)
    const ids = await connectMany({
      environment: service.environment,
      tenantId: String(tenantId),
      users: Array.from({ length: inboxes }, (_, n) => server.user(n + 10)),
      server: { host: server.host, port: server.imapsPort, caFile: server.caFile },
    })
    const { key } = await service.cli(['key', 'create', '--scopes', 'read:email'])
    const first = ids[0] ?? ''
    await callTool(service.url, String(key), 'email_read', { action: 'list', inbox_id: first })
    await delay(3_000)
    const one = await service.residentMiB()
    for (const inbox_id of ids)
      await callTool(service.url, String(key), 'email_read', { action: 'list', inbox_id })
    await delay(idleMs)
    const many = await service.residentMiB()
    return [
      {
        what: 'resident memory, idle',
        found: `${idle.toFixed(0)} MiB`,
        bound: 'below 150 MiB',
        isWithin: idle < 150,
      },
      {
        what: `memory that ${inboxes} idle inboxes add`,
        found: `${(many - one).toFixed(0)} MiB (${many.toFixed(0)} after ${one.toFixed(0)})`,
        bound: 'below 100 MiB',
        isWithin: many - one < 100,
      },
    ]
  } finally {
    await service.stop()
  }
}
