import type { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { judgeSend } from './judge-send.ts'
import { startKillBench, type KillBench } from './kill-bench.ts'
import { killTable } from './kill-table.ts'
import { killInSend, killStages, type SendKill } from './send-kills.ts'

/** `npm run chaos` does five hundred. */
const sends = 25

describe('a service that is killed in a send, and a client that repeats its call', { concurrency: 1 }, () => {
  let bench: KillBench
  let friends: ImapFlow
  before(async () => {
    bench = await startKillBench()
    friends = await bench.open(bench.friend)
  })
  after(async () => {
    await friends.logout()
    await bench.close()
  })

  const kills: SendKill[] = []
  for (let n = 0; n < sends; n++) {
    const stage = killStages[n % killStages.length] ?? ''
    test(`checks 151, 167 and 179: killed at ${stage}, a send is delivered once or told as it is (${String(n)})`, async () => {
      const kill = await killInSend(bench, friends, n)
      kills.push(kill)
      assert.equal(judgeSend(kill), null, JSON.stringify(kill))
    })
  }

  test('every stage of a send was met', (context) => {
    context.diagnostic(`\n${killTable(kills)}`)
    assert.deepEqual(
      killStages.filter((stage) => !kills.some((kill) => kill.stage === stage)),
      [],
    )
  })
})
