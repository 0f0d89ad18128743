import { median, type Measure } from '../report.ts'
import { connectWatched } from '../connect-watched.ts'
import { bulkFolder } from './mailbox.ts'
import { callTool } from '../mcp-call.ts'
import { connectReference } from './reference.ts'
import type { Stage } from '../stage.ts'

const size = 60
const folders = ['INBOX', 'Sent', bulkFolder]
const rounds = 15
const maxMs = 2_000

/**
 * A conversation of 60 messages over three folders, one of 100,000 messages: from the first call, for which the server
 * has none of the headers at hand, to the answer with the bodies of the newest 20. What was said to the server is
 * printed; a look at any body but those 20 would stand there.
 */
export async function measureThread(stage: Stage): Promise<readonly Measure[]> {
  await storeConversation(stage)
  const { proxy, key } = await connectWatched(stage, 'thread')
  const call = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
    (await callTool(stage.service.url, key, 'email_read', args)).structuredContent ?? {}
  const { messages } = (await call({ action: 'list', folder: bulkFolder, limit: 1 })) as {
    messages: { message_id: string }[]
  }
  const ask = { action: 'thread', message_id: messages[0]?.message_id ?? '' }
  const times: number[] = []
  let answer: Record<string, unknown> = {}
  for (let round = 0; round <= rounds; round++) {
    proxy.reset()
    const from = performance.now()
    answer = await call(ask)
    times.push(performance.now() - from)
  }
  const [cold = Number.NaN, ...warm] = times
  const said = proxy.commands()
  console.log(`\nthread of ${size}, warm:\n${said.map((line) => `    ${line}`).join('\n')}`)
  proxy.close()
  const isWhole = answer['total_messages'] === size && answer['complete'] === true
  return [
    {
      what: `thread of ${size} over ${folders.length} folders, one of 100,000`,
      found: `${median(warm).toFixed(0)} ms warm, ${cold.toFixed(0)} ms cold, ${said.length} round trips${isWhole ? '' : ', NOT WHOLE'}`,
      bound: `at most ${maxMs} ms warm`,
      isWithin: isWhole && median(warm) <= maxMs,
    },
  ]
}

/** Each answers the one before; the folders take turns, and the newest lies in the large one. */
async function storeConversation({ mail }: Stage): Promise<void> {
  const client = await connectReference({ ...mail, folder: 'INBOX' })
  await client.mailboxClose()
  const ids = Array.from({ length: size }, (_, n) => `<thread-${n}@sender.example>`)
  for (const [n, id] of ids.entries()) {
    const at = new Date(Date.UTC(2026, 10, 2, 10, n))
    const answered = [`In-Reply-To: ${ids[n - 1] ?? ''}`, `References: ${ids.slice(0, n).join('\r\n ')}`]
    const lines = [
      n % 3 === 1 ? `From: ${mail.user}` : `From: Sender ${n % 5} <sender${n % 5}@sender.example>`,
      `To: ${mail.user}`,
      `Subject: ${n === 0 ? '' : 'Re: '}Lease of the harbour office`,
      `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: ${id}`,
      ...(n === 0 ? [] : answered),
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `This is word ${n} of the conversation, and it goes on for a line or two.`,
      '',
    ]
    await client.append(folders[n % 3] ?? 'INBOX', lines.join('\r\n'), [], at)
  }
  await client.logout()
}
