import { createLog } from '@postern/core'
import { startGateway, stopOnSignals } from '@postern/gateway/start'
import { openParts } from '@postern/gateway/wire'
import type { Command } from 'commander'
import { commandLog } from '../command-log.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import type { CommandContext } from '../context.ts'
import type { Run } from '../run.ts'
import { tee } from '../tee-log.ts'

export function addStartCommand(program: Command, run: Run): void {
  program
    .command('start')
    .description('run the service: embedded database, migrations and gateway in one process')
    .action(() => run(startService))
}

/** Runs until a signal ends it. Logs go to standard error, a line of JSON each; people read standard output. */
async function startService(context: CommandContext): Promise<null> {
  const { service: config } = parseCliConfig(context.environment)
  const log = tee(
    createLog(config.logLevel, (line) => context.note(line)),
    commandLog({ ...context, note: context.isJson ? () => undefined : context.print }),
  )
  const parts = await openParts(config, log)
  const gateway = await startGateway(config, parts, log).catch(async (error: unknown) => {
    await parts.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await gateway.close()
    await parts.close()
  }
  stopOnSignals(close, log)
  const url = endpointOf({ ...config, port: gateway.port })
  context.print(context.isJson ? `${JSON.stringify({ url: url.href, port: gateway.port })}\n` : greeting(url))
  return null
}

function greeting(url: URL): string {
  return [
    '',
    `Postern answers at ${url.href}`,
    '',
    'In another terminal:',
    '  npm run -s postern -- tenant create "Your name"',
    '  npm run -s postern -- inbox connect sandbox                     (a made-up mailbox to try)',
    '  npm run -s postern -- inbox connect imap --address you@example.com',
    '  npm run -s postern -- key create --scopes read:email,search:email',
    `  npm run -s postern -- call inbox_list --key <key>`,
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}
