import { estimateTokens } from '@postern/mail'
import type { Measure } from '../report.ts'
import { bulkFolder } from './mailbox.ts'
import { callTool, listTools } from '../mcp-call.ts'
import type { Stage } from '../stage.ts'

/** What an agent pays to read the definitions and the common answers. */
export async function measureTokens({ service, key, inboxId }: Stage): Promise<readonly Measure[]> {
  const { key: full } = await service.cli(['key', 'create', '--inbox', inboxId])
  const call = async (name: string, args: Record<string, unknown>): Promise<string> =>
    (await callTool(service.url, key, name, args)).content[0]?.text ?? ''
  const rows = await call('email_read', { action: 'list', folder: bulkFolder })
  const { messages } = JSON.parse(rows) as { messages: { message_id: string }[] }
  const measured: readonly [string, string, number][] = [
    ['tools/list, default scopes', JSON.stringify(await listTools(service.url, String(full))), 8_000],
    ['20 message rows', rows, 2_500],
    ['folder_list', await call('folder_list', {}), 2_500],
    [
      'default read',
      await call('email_read', { action: 'read', message_id: messages[0]?.message_id }),
      3_500,
    ],
    ['an error', await errorText(service.url, key), 400],
  ]
  return measured.map(([what, text, bound]) => {
    const tokens = estimateTokens(text)
    return {
      what: `tokens: ${what}`,
      found: String(tokens),
      bound: `at most ${bound}`,
      isWithin: tokens <= bound,
    }
  })
}

async function errorText(url: string, key: string): Promise<string> {
  return callTool(url, key, 'email_read', { action: 'search', querry: 'x' }).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  )
}
