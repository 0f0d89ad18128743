import { createLog } from '@postern/core'
import { stopOnSignals } from '@postern/gateway/start'
import type { Command } from 'commander'
import { commandLog } from '../command-log.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import type { CommandContext } from '../context.ts'
import { runService } from '../run-service.ts'
import type { Run } from '../run.ts'
import { commandSeconds, shareDataFolder } from '../share-data-folder.ts'
import { tee } from '../tee-log.ts'

export function defineStart(start: Command, run: Run): void {
  start.action(() => run(startService))
}

/** Runs until a signal ends it. Logs go to standard error, a line of JSON each; people read standard output. */
async function startService(context: CommandContext): Promise<null> {
  const { service: config } = parseCliConfig(context.environment)
  const log = tee(
    createLog(config.logLevel, context.note),
    commandLog({ ...context, note: context.isJson ? () => undefined : context.print }),
  )
  const starting =
    config.databaseUrl === null
      ? shareDataFolder(config.dataDir, commandSeconds, () => runService(config, log))
      : runService(config, log)
  const stop = stopOnSignals(async () => (await starting).close(), log)
  const { port, lost } = await starting
  const url = endpointOf({ ...config, port })
  context.print(context.isJson ? `${JSON.stringify({ url: url.href, port })}\n` : greeting(url))
  await lost
  log.error('database_lost')
  stop(1)
  return null
}

function greeting(url: URL): string {
  return [
    '',
    `Postern answers at ${url.href}`,
    '',
    'In another terminal, with the same POSTERN_ settings:',
    '  npx postern tenant create "Your name"          (once)',
    '  npx postern inbox connect sandbox              (a made-up mailbox to try)',
    '  npx postern inbox connect imap --address you@example.com',
    '  npx postern key create --scopes read:email,search:email',
    '  npx postern call inbox_list --key <key>',
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}
