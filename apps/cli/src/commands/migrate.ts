import type { Log } from '@postern/core'
import { openKeyFile } from '@postern/gateway/wire'
import { migrate, startEmbedded } from '@postern/store'
import { createKeyRing } from '@postern/vault'
import type { Command } from 'commander'
import { closeOnSignal } from '../close-on-signal.ts'
import { commandLog } from '../command-log.ts'
import { parseCliConfig } from '../config.ts'
import type { Answer, CommandContext } from '../context.ts'
import type { Run } from '../run.ts'
import { serviceStartSeconds, shareDataFolder } from '../share-data-folder.ts'

export function defineMigrate(command: Command, run: Run): void {
  command.action(() => run(migrateOnce))
}

async function migrateOnce(context: CommandContext): Promise<Answer> {
  const { dataDir, databaseUrl, secretKeys } = parseCliConfig(context.environment).service
  const log = commandLog(context)
  const keyRing = createKeyRing(secretKeys ?? (await openKeyFile(dataDir, log)))
  const bring = (ownerUrl: string): Promise<readonly string[]> => migrate(ownerUrl, { keyRing })
  const applied =
    databaseUrl === null
      ? await shareDataFolder(dataDir, serviceStartSeconds, (runningUrl) =>
          runningUrl === null ? withEmbedded(dataDir, log, bring) : bring(runningUrl),
        )
      : await bring(databaseUrl)
  const names = applied.map((name) => `  ${name}\n`).join('')
  return {
    json: { applied },
    text: applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.length}:\n${names}`,
  }
}

async function withEmbedded<T>(dataDir: string, log: Log, act: (ownerUrl: string) => Promise<T>): Promise<T> {
  const starting = startEmbedded({ dataDir, log })
  const ignoreSignals = closeOnSignal(async () => (await starting).stop())
  try {
    const embedded = await starting
    try {
      return await act(embedded.ownerUrl)
    } finally {
      await embedded.stop()
    }
  } finally {
    ignoreSignals()
  }
}
