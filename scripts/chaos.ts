import { parseArgs } from 'node:util'
import { mailServersVariable } from '../packages/fixtures/src/mail-servers.ts'
import { judgeSend } from '../test/kills/judge-send.ts'
import { startKillBench } from '../test/kills/kill-bench.ts'
import { killTable } from '../test/kills/kill-table.ts'
import { killInAct, mailboxActs, placesOf, type MailboxKill } from '../test/kills/mailbox-kills.ts'
import { killInSend, type SendKill } from '../test/kills/send-kills.ts'
import { startMailServers } from './mail-servers/start.ts'

/**
 * `npm run chaos`: kills the service in 500 sends, and in every command by which it changes a mailbox, on a server with
 * MOVE and on one without. Prints what came of them, and ends with 1 if anything was lost, doubled or told wrongly.
 */
const { values } = parseArgs({
  options: { sends: { type: 'string', default: '500' }, rounds: { type: 'string', default: '10' } },
})
const servers = await startMailServers()
process.env[mailServersVariable] = servers.value
const broken: string[] = []
try {
  await chaosOfSends(Number(values.sends))
  await chaosOfActs('dovecot', 'move', Number(values.rounds))
  await chaosOfActs('courier', 'copy', Number(values.rounds))
} finally {
  await servers.stop()
}
for (const line of broken) console.error(line)
console.log(
  broken.length === 0 ? 'Nothing was lost, doubled or told wrongly.' : `${String(broken.length)} broken.`,
)
process.exitCode = broken.length === 0 ? 0 : 1

async function chaosOfSends(count: number): Promise<void> {
  const bench = await startKillBench()
  const friends = await bench.open(bench.friend)
  const kills: SendKill[] = []
  try {
    for (let n = 0; n < count; n++) {
      const kill = await killInSend(bench, friends, n)
      kills.push(kill)
      const verdict = judgeSend(kill)
      if (verdict !== null) broken.push(`send ${String(n)}: ${verdict}: ${JSON.stringify(kill)}`)
      if (kills.length % 50 === 0) console.error(`${String(kills.length)} of ${String(count)}`)
    }
  } finally {
    console.log(killTable(kills))
    await friends.logout()
    await bench.close()
  }
}

async function chaosOfActs(
  server: 'dovecot' | 'courier',
  has: 'move' | 'copy',
  rounds: number,
): Promise<void> {
  const bench = await startKillBench(server)
  const own = await bench.open(bench.owner)
  const kills: MailboxKill[] = []
  try {
    await own.mailboxCreate(server === 'courier' ? 'INBOX.Target' : 'Target')
    for (let round = 0; round < rounds; round++) {
      for (const act of mailboxActs) {
        for (const place of placesOf(act, has)) kills.push(await killInAct(bench, own, act, place))
      }
    }
  } finally {
    for (const kill of kills) if (kill.broken !== null) broken.push(`${server}: ${JSON.stringify(kill)}`)
    console.log(`${server}\n${tally(kills)}`)
    await own.logout()
    await bench.close()
  }
}

function tally(kills: readonly MailboxKill[]): string {
  const groups = Object.entries(Object.groupBy(kills, ({ act, at }) => `${act}, ${at}`))
  return groups
    .map(([name, all = []]) => {
      const told = Object.entries(Object.groupBy(all, (kill) => `${kill.told} then ${kill.afterwards}`))
      return `  ${name}: ${told.map(([text, some]) => `${text}: ${String(some?.length ?? 0)}`).join(', ')}\n`
    })
    .join('')
}
