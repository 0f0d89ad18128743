import type { Measure } from '../report.ts'
import { withAttachment } from './mailbox.ts'
import { callTool } from '../mcp-call.ts'
import { connectReference } from './reference.ts'
import type { Stage } from '../stage.ts'
import { startTeeProxy } from '../tee-proxy.ts'

const fileBytes = 20 * 1024 * 1024
/** What the description of one more part may take. */
const allowance = 2_048

/** Octets over the wire for reading a message with a 20 MB file, against the same message without it. */
export async function measureOctets({ service, mail }: Stage): Promise<readonly Measure[]> {
  const client = await connectReference({ ...mail, folder: 'INBOX' })
  await client.mailboxCreate('Files')
  for (const bytes of [0, fileBytes]) await client.append('Files', withAttachment(bytes), [])
  await client.logout()
  const proxy = await startTeeProxy('127.0.0.1', mail.plainPort)
  const connect = ['inbox', 'connect', 'imap', '--address', `octets-${mail.user}`, '--username', mail.user]
  const where = ['--host', '127.0.0.1', '--port', String(proxy.port), '--tls', 'none', '--password-stdin']
  const { inbox_id: inboxId } = await service.cli([...connect, ...where], mail.pass)
  const { key } = await service.cli(['key', 'create', '--scopes', 'read:email', '--inbox', String(inboxId)])
  const call = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
    (await callTool(service.url, String(key), 'email_read', args)).structuredContent ?? {}
  const { messages } = (await call({ action: 'list', folder: 'Files' })) as {
    messages: { message_id: string }[]
  }
  const moved: number[] = []
  for (const { message_id } of messages) {
    await call({ action: 'read', message_id })
    proxy.reset()
    await call({ action: 'read', message_id })
    moved.push(proxy.received())
  }
  proxy.close()
  const [withFile = Number.NaN, without = Number.NaN] = moved
  return [
    {
      what: 'octets for a message with a 20 MB file',
      found: `${withFile} (${without} without the file)`,
      bound: `at most ${allowance} more`,
      isWithin: withFile - without <= allowance,
    },
  ]
}
