import { median, ratio, type Measure } from '../report.ts'
import { connectWatched } from '../connect-watched.ts'
import { bulkFolder, rareSender } from './mailbox.ts'
import { callTool } from '../mcp-call.ts'
import { connectReference, referenceList, referenceRead, referenceSearch } from './reference.ts'
import type { Stage } from '../stage.ts'
import { withBareServer } from './with-bare-server.ts'

/** Rounds before any counts: enough for the engine to have compiled what both run. */
const warmUp = 100
const rounds = 150

interface Pair {
  readonly name: string
  readonly reference: () => Promise<unknown>
  readonly tool: () => Promise<unknown>
  readonly maxRoundTrips: number
}

/** Each tool call in turn with the reference, warm, one at a time; medians. Then both conversations, as sent. */
export async function measureLatency(stage: Stage): Promise<readonly Measure[]> {
  const client = await connectReference({ ...stage.mail, folder: bulkFolder })
  const spoken: string[] = []
  const watched = await connectReference({
    ...stage.mail,
    folder: bulkFolder,
    onLine: (line) => spoken.push(line),
  })
  const { proxy, key } = await connectWatched(stage, 'watched')
  const [newest] = await referenceList(client, 1)
  const uid = newest?.uid ?? 1
  const ask =
    (by: string) =>
    async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
      (await callTool(stage.service.url, by, 'email_read', args)).structuredContent ?? {}
  const messageId = async (by: string): Promise<string> => {
    const { messages } = (await ask(by)({ action: 'list', folder: bulkFolder, limit: 1 })) as {
      messages: { message_id: string }[]
    }
    return messages[0]?.message_id ?? ''
  }
  const pairs = async (by: string, reference: typeof client): Promise<readonly Pair[]> => {
    const id = await messageId(by)
    const call = ask(by)
    return [
      {
        name: 'list of 20',
        reference: () => referenceList(reference, 20),
        tool: () => call({ action: 'list', folder: bulkFolder }),
        maxRoundTrips: 2,
      },
      {
        name: 'search by sender, one folder',
        reference: () => referenceSearch(reference, rareSender, 20),
        tool: () => call({ action: 'search', from: rareSender, include_folders: [bulkFolder] }),
        maxRoundTrips: 5,
      },
      {
        name: 'read of one message',
        reference: () => referenceRead(reference, uid),
        tool: () => call({ action: 'read', message_id: id }),
        maxRoundTrips: 3,
      },
    ]
  }
  const measures: Measure[] = []
  for (const pair of await pairs(stage.key, client)) {
    const size = JSON.stringify(await pair.tool()).length * 2
    measures.push(await withBareServer(size, (front) => measurePair(pair, front)))
  }
  for (const pair of await pairs(key, watched)) {
    await pair.tool()
    proxy.reset()
    spoken.length = 0
    await pair.reference()
    await pair.tool()
    const said = proxy.commands()
    console.log(
      `\n${pair.name}\n  reference:\n${indent(spoken.filter((line) => line.startsWith('C:')))}\n  email_read:\n${indent(said)}`,
    )
    measures.push({
      what: `${pair.name}: round trips`,
      found: String(said.length),
      bound: `at most ${pair.maxRoundTrips}`,
      isWithin: said.length <= pair.maxRoundTrips,
    })
  }
  await Promise.all([client.logout(), watched.logout()])
  proxy.close()
  return measures
}

/**
 * @param front asks a server that knows no key, no tenant and no mailbox for an answer of the same size: together with
 * the reference the least that any service on this protocol could take, printed beside what was found.
 */
async function measurePair({ name, reference, tool }: Pair, front: () => Promise<unknown>): Promise<Measure> {
  const acts = { reference, tool, front }
  const times = { reference: [] as number[], tool: [] as number[], front: [] as number[] }
  for (let round = -warmUp; round < rounds; round++) {
    for (const which of ['reference', 'front', 'tool'] as const) {
      const from = performance.now()
      await acts[which]()
      if (round >= 0) times[which].push(performance.now() - from)
    }
  }
  const [slow, fast, least] = [times.tool, times.reference, times.front].map(median) as [
    number,
    number,
    number,
  ]
  return ratio(
    `email_read ${name} / reference`,
    slow / fast,
    1.5,
    `${slow.toFixed(2)} ms against ${fast.toFixed(2)} ms; behind a bare SDK server ${((fast + least) / fast).toFixed(2)}`,
  )
}

function indent(lines: readonly string[]): string {
  return lines.map((line) => `    ${line}`).join('\n')
}
