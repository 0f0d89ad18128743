import type { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startKillBench, type KillBench } from './kill-bench.ts'
import { killInAct, mailboxActs, placesOf } from './mailbox-kills.ts'

describe('a service that is killed while it changes a mailbox', { concurrency: 1 }, () => {
  let bench: KillBench
  let own: ImapFlow
  before(async () => {
    bench = await startKillBench()
    own = await bench.open(bench.owner)
    await own.mailboxCreate('Target')
  })
  after(async () => {
    await own.logout()
    await bench.close()
  })

  for (const act of mailboxActs) {
    for (const [index, place] of placesOf(act, 'move').entries()) {
      test(`checks 112, 117 and 151: killed in ${act}, nothing is lost and nothing of others removed (${String(index)})`, async () => {
        const kill = await killInAct(bench, own, act, place)
        assert.equal(kill.broken, null, JSON.stringify(kill))
      })
    }
  }
})
