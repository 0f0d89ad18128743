import type { Log } from '@postern/core'
import type { GatewayConfig } from '@postern/gateway/start'
import { openKeyFile } from '@postern/gateway/wire'
import { attachEmbedded, migrate, startEmbedded } from '@postern/store'
import { createKeyRing } from '@postern/vault'
import type { Command } from 'commander'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import type { Run } from '../run.ts'

export function addMigrateCommand(program: Command, run: Run): void {
  program
    .command('migrate')
    .description('bring the database up to this release; DATABASE_URL is its owner')
    .action(() => run(migrateOnce))
}

async function migrateOnce(context: CommandContext): Promise<Answer> {
  const { service } = parseCliConfig(context.environment)
  const log = commandLog(context)
  const keyRing = createKeyRing(service.secretKeys ?? (await openKeyFile(service.dataDir, log)))
  const applied = await withOwnerUrl(service, log, (url) => migrate(url, { keyRing }))
  const text =
    applied.length === 0
      ? 'The database is up to date.\n'
      : `Applied ${applied.length === 1 ? 'one migration' : `${applied.length} migrations`}:\n${applied.map((name) => `  ${name}\n`).join('')}`
  return { json: { applied }, text }
}

async function withOwnerUrl<T>(
  config: GatewayConfig,
  log: Log,
  act: (ownerUrl: string) => Promise<T>,
): Promise<T> {
  const running = config.databaseUrl ?? (await attachEmbedded(config.dataDir))
  if (running !== null) return act(running)
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  try {
    return await act(embedded.ownerUrl)
  } finally {
    await embedded.stop()
  }
}
