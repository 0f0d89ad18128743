import type { Log } from '@postern/core'
import { migrate, openDatabase, startEmbedded, type Database } from '@postern/store'
import { createKeyRing, type KeyRing } from '@postern/vault'
import type { GatewayConfig } from './config.ts'
import { openKeyFile } from './key-file.ts'

/** The database and the keys that open what is in it. */
export interface Store {
  readonly database: Database
  readonly keyRing: KeyRing
  /** Settles when the embedded server ended by itself; never with a server of one's own. The process must end then. */
  readonly lost: Promise<void>
  close(): Promise<void>
}

export interface OpenStoreOptions {
  /** Whether a database of one's own is migrated too; the embedded one always is, since nobody else could. */
  readonly migrates: boolean
}

/**
 * Opens the database that the configuration names, starting the embedded one where it names none.
 * @throws internal_error, service_busy; `public` says what to do.
 */
export async function openStore(
  config: Pick<GatewayConfig, 'dataDir' | 'databaseUrl' | 'secretKeys'>,
  log: Log,
  { migrates }: OpenStoreOptions,
): Promise<Store> {
  const keyRing = createKeyRing(config.secretKeys ?? (await openKeyFile(config.dataDir, log)))
  if (config.databaseUrl !== null) {
    if (migrates) await migrated(config.databaseUrl, keyRing, log)
    const database = await openDatabase({ url: config.databaseUrl, keyRing })
    return { database, keyRing, lost: new Promise(() => undefined), close: () => database.close() }
  }
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  try {
    await migrated(embedded.ownerUrl, keyRing, log)
    const database = await openDatabase({ url: embedded.ownerUrl, keyRing })
    let isClosing = false
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
    void embedded.exited.then(() => {
      if (!isClosing) lose()
    })
    const close = async (): Promise<void> => {
      isClosing = true
      await database.close()
      await embedded.stop()
    }
    return { database, keyRing, lost, close }
  } catch (error) {
    await embedded.stop()
    throw error
  }
}

async function migrated(ownerUrl: string, keyRing: KeyRing, log: Log): Promise<void> {
  const applied = await migrate(ownerUrl, { keyRing })
  if (applied.length > 0) log.info('database_migrated', { count: applied.length })
}
