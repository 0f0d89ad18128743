import type { Log } from '@postern/core'
import type { GatewayConfig } from '@postern/gateway/start'
import { openKeyFile, openStore } from '@postern/gateway/wire'
import { openDatabase, type Database } from '@postern/store'
import { createKeyRing, type KeyRing } from '@postern/vault'
import { closeOnSignal } from './close-on-signal.ts'
import { serviceStartSeconds, shareDataFolder } from './share-data-folder.ts'

export interface OpenStore {
  readonly database: Database
  readonly keyRing: KeyRing
  /** Whether the database was running already: then a service may be, too. */
  readonly wasRunning: boolean
}

/**
 * Lends the database to `act`: that of a running service, else the embedded one, started for as long as `act`
 * takes. The keys come from the configuration or from the data folder, as the service has them.
 * @throws internal_error, service_busy, and what `act` throws.
 */
export async function withStore<T>(
  config: GatewayConfig,
  log: Log,
  act: (store: OpenStore) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== null) return lend(await openForCommand(config, log), act)
  return shareDataFolder(config.dataDir, serviceStartSeconds, async (runningUrl) =>
    lend(await (runningUrl === null ? openForCommand(config, log) : borrow(config, log, runningUrl)), act),
  )
}

type Closable = OpenStore & { close(): Promise<void> }

async function lend<T>(store: Closable, act: (store: OpenStore) => Promise<T>): Promise<T> {
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

async function borrow(config: GatewayConfig, log: Log, url: string): Promise<Closable> {
  const keyRing = createKeyRing(config.secretKeys ?? (await openKeyFile(config.dataDir, log)))
  const database = await openDatabase({ url, keyRing, maxConnections: 2 })
  return { database, keyRing, wasRunning: true, close: () => database.close() }
}

async function openForCommand(config: GatewayConfig, log: Log): Promise<Closable> {
  const opening = openStore(config, log, { migrates: config.databaseUrl === null })
  const ignoreSignals = closeOnSignal(async () => (await opening).close())
  try {
    const store = await opening
    const close = async (): Promise<void> => {
      await store.close()
      ignoreSignals()
    }
    return { ...store, wasRunning: config.databaseUrl !== null, close }
  } catch (error) {
    ignoreSignals()
    throw error
  }
}
