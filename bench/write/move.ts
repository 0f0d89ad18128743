import { ImapFlow } from 'imapflow'
import { connectWatched } from '../connect-watched.ts'
import { callTool } from '../mcp-call.ts'
import { median, ratio, type Measure } from '../report.ts'
import type { WriteStage } from './write-stage.ts'

const count = 500
const rounds = 15
const warmUp = 3

/**
 * 500 messages from one folder to another: a move_batch against what a program would do that knows one mailbox and takes
 * as much care. It selects the folder, makes sure that the UIDs are the messages it means, moves them in one command, and
 * counts what the server says it has moved.
 */
export async function measureMove(stage: WriteStage): Promise<readonly Measure[]> {
  const client = await connect(stage)
  for (const folder of ['Bench A', 'Bench B']) await client.mailboxCreate(folder)
  await fill(client)
  const times = { reference: [] as number[], tool: [] as number[] }
  for (let round = -warmUp; round < rounds; round++) {
    const slow = await timeTool(stage, stage.key, client)
    const fast = await timeReference(client)
    if (round < 0) continue
    times.tool.push(slow)
    times.reference.push(fast)
  }
  const { proxy, key } = await connectWatched(stage, 'moves', 'read:email,search:email,organize:email')
  const ids = await idsOf(stage, key)
  proxy.reset()
  await callTool(stage.service.url, key, 'email_organize', moveOf(ids))
  const said = proxy.commands()
  console.log(`\nmove of ${String(count)} messages\n${said.map((line) => `    ${line}`).join('\n')}`)
  proxy.close()
  await client.logout()
  const [slow, fast] = [median(times.tool), median(times.reference)]
  return [
    {
      what: `move of ${String(count)}: IMAP commands`,
      found: String(said.length),
      bound: 'at most 4',
      isWithin: said.length <= 4,
    },
    ratio(
      `move of ${String(count)} / reference`,
      slow / fast,
      1.5,
      `${slow.toFixed(1)} ms against ${fast.toFixed(1)} ms`,
    ),
  ]
}

async function connect({ mail }: WriteStage): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: mail.host,
    port: mail.port,
    secure: true,
    auth: { user: mail.user, pass: mail.pass },
    tls: { ca: mail.ca },
    logger: false,
  })
  await client.connect()
  return client
}

async function fill(client: ImapFlow): Promise<void> {
  for (let n = 0; n < count; n++) {
    const lines = ['From: amy@sender.example', `Subject: Bench ${String(n)}`]
      .concat(`Message-ID: <bench${String(n)}@sender.example>`, 'Date: Mon, 16 Nov 2026 09:00:00 +0000')
      .concat('', 'Words.', '')
    await client.append('Bench A', Buffer.from(lines.join('\r\n')))
  }
}

function moveOf(ids: readonly string[]): Record<string, unknown> {
  return { action: 'move_batch', message_ids: ids, destination_folder_id: 'Bench B' }
}

async function idsOf({ service }: WriteStage, key: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let offset = 0; offset < count; offset += 100) {
    const args = { action: 'list', folder: 'Bench A', limit: 100, offset }
    const { structuredContent } = await callTool(service.url, key, 'email_read', args)
    const { messages } = structuredContent as {
      readonly messages: readonly { readonly message_id: string }[]
    }
    ids.push(...messages.map(({ message_id: id }) => id))
  }
  return ids
}

async function timeTool(stage: WriteStage, key: string, client: ImapFlow): Promise<number> {
  const ids = await idsOf(stage, key)
  const from = performance.now()
  const { structuredContent } = await callTool(stage.service.url, key, 'email_organize', moveOf(ids))
  const took = performance.now() - from
  if (structuredContent?.['succeeded'] !== count)
    throw new Error(`moved: ${JSON.stringify(structuredContent)}`)
  await client.mailboxOpen('Bench B')
  await client.messageMove('1:*', 'Bench A')
  await client.mailboxClose()
  return took
}

async function timeReference(client: ImapFlow): Promise<number> {
  // What a caller knows beforehand: the messages it means, by UID and Message-ID.
  await client.mailboxOpen('Bench A')
  const known = await client.fetchAll('1:*', { uid: true, headers: ['message-id'] })
  await client.mailboxClose()
  const identity = new Map(known.map(({ uid, headers }) => [uid, headers?.toString()]))
  const from = performance.now()
  await client.mailboxOpen('Bench A')
  const uids = [...identity.keys()]
  const found = await client.fetchAll(
    uids,
    { uid: true, internalDate: true, headers: ['message-id'] },
    { uid: true },
  )
  if (!found.every(({ uid, headers }) => identity.get(uid) === headers?.toString()))
    throw new Error('a UID is of another message')
  const moved = await client.messageMove(uids, 'Bench B', { uid: true })
  if (moved === false || moved?.uidMap?.size !== count) throw new Error('not all were moved')
  const took = performance.now() - from
  await client.mailboxOpen('Bench B')
  await client.messageMove('1:*', 'Bench A')
  await client.mailboxClose()
  return took
}
