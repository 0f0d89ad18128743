import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Measure } from '../report.ts'
import { callsPerSecond, callTool } from './mcp-call.ts'
import type { Stage } from './stage.ts'
import { freePort } from './service.ts'

const workers = 16
const seconds = 8

/** inbox_list through key check, limiter, row-level security and audit, against a bare SDK server's constant. */
export async function measureThroughput({ service, key }: Stage): Promise<readonly Measure[]> {
  const answer = await callTool(service.url, key, 'inbox_list', {})
  const size = JSON.stringify(answer).length
  const port = await freePort()
  const bare = spawn(
    process.execPath,
    [join(import.meta.dirname, 'bare-server.ts'), String(size), String(port)],
    { stdio: 'inherit' },
  )
  const bareUrl = `http://127.0.0.1:${port}`
  await delay(1_500)
  try {
    const rounds: { ours: number; theirs: number }[] = []
    for (let round = 0; round < 2; round++) {
      const theirs = await callsPerSecond(() => callTool(bareUrl, 'none', 'inbox_list', {}), workers, seconds)
      const ours = await callsPerSecond(() => callTool(service.url, key, 'inbox_list', {}), workers, seconds)
      rounds.push({ ours, theirs })
    }
    const ours = Math.max(...rounds.map((round) => round.ours))
    const theirs = Math.max(...rounds.map((round) => round.theirs))
    const share = ours / theirs
    return [
      {
        what: 'inbox_list calls per second / bare SDK server',
        found: `${(share * 100).toFixed(0)} % (${ours.toFixed(0)} against ${theirs.toFixed(0)})`,
        bound: 'at least 40 %',
        isWithin: share >= 0.4,
      },
    ]
  } finally {
    bare.kill()
  }
}
