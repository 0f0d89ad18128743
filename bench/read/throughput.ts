import type { Measure } from '../report.ts'
import { callsPerSecond, callTool } from '../mcp-call.ts'
import type { Stage } from '../stage.ts'
import { withBareServer } from './with-bare-server.ts'

const workers = 16
const seconds = 8

/** inbox_list through key check, limiter, row-level security and audit, against a bare SDK server's constant. */
export async function measureThroughput({ service, key }: Stage): Promise<readonly Measure[]> {
  const answer = await callTool(service.url, key, 'inbox_list', {})
  const size = JSON.stringify(answer).length
  return withBareServer(size, async (askBare) => {
    const rounds: { ours: number; theirs: number }[] = []
    for (let round = 0; round < 2; round++) {
      const theirs = await callsPerSecond(askBare, workers, seconds)
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
  })
}
