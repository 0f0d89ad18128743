import { setTimeout as delay } from 'node:timers/promises'
import { Fault, type Log } from '@postern/core'
import type { GatewayConfig } from '@postern/gateway/start'
import { openKeyFile, openStore } from '@postern/gateway/wire'
import { attachEmbedded, openDatabase, type Database } from '@postern/store'
import { createKeyRing, type KeyRing } from '@postern/vault'

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
  const store = await open(config, log)
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

type Closable = OpenStore & { close(): Promise<void> }

// Another command may be on the same folder for a moment; a service that starts there takes a few seconds.
const patienceMs = 15_000

async function open(config: GatewayConfig, log: Log): Promise<Closable> {
  const givenUp = Date.now() + patienceMs
  for (;;) {
    const attached = config.databaseUrl === null ? await attach(config, log) : null
    if (attached !== null) return attached
    try {
      const store = await openStore(config, log, { migrates: config.databaseUrl === null })
      return { ...store, wasRunning: config.databaseUrl !== null }
    } catch (error) {
      const isTaken = error instanceof Fault && error.details['reason'] === 'data_folder_in_use'
      if (!isTaken || Date.now() > givenUp) throw error
    }
    await delay(250)
  }
}

async function attach(config: GatewayConfig, log: Log): Promise<Closable | null> {
  const url = await attachEmbedded(config.dataDir)
  if (url === null) return null
  const keyRing = createKeyRing(config.secretKeys ?? (await openKeyFile(config.dataDir, log)))
  const database = await openDatabase({ url, keyRing, maxConnections: 2 })
  return { database, keyRing, wasRunning: true, close: () => database.close() }
}
