import { silentLog } from '@postern/core'
import { parseConfig } from '@postern/gateway/start'
import { openKeyFile } from '@postern/gateway/wire'
import { connectInbox } from '@postern/inboxes'
import { createProviders } from '@postern/providers'
import { attachEmbedded, openDatabase } from '@postern/store'
import { createKeyRing } from '@postern/vault'
import { readFile } from 'node:fs/promises'
import type { TestUser } from '@postern/fixtures'

/** What the service of a bench was started with, and the tenant that gets the inboxes. */
export interface ManyInboxes {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly tenantId: string
  readonly users: readonly TestUser[]
  readonly server: { readonly host: string; readonly port: number; readonly caFile: string }
}

/**
 * Connects many mailboxes as `postern inbox connect` does, on the running service's database but in this process:
 * one command each would take minutes. Gives their ids.
 */
export async function connectMany({
  environment,
  tenantId,
  users,
  server,
}: ManyInboxes): Promise<readonly string[]> {
  const config = parseConfig(environment)
  const url = await attachEmbedded(config.dataDir)
  if (url === null) throw new Error('the service is not running')
  const keyRing = createKeyRing(await openKeyFile(config.dataDir, silentLog))
  const db = await openDatabase({ url, keyRing, maxConnections: 4 })
  const extraCa = await readFile(server.caFile, 'utf8')
  const providers = createProviders({ allowPrivateHosts: true, extraCa })
  const ids: string[] = []
  for (const { email, username, password } of users) {
    const credential = { host: server.host, port: server.port, tls: 'implicit', username, password }
    const call = {
      signal: AbortSignal.timeout(30_000),
      deadline: new Date(Date.now() + 30_000),
      log: silentLog,
    }
    const request = { tenantId, provider: 'imap', emailAddress: email, credential } as const
    ids.push((await connectInbox({ db, keyRing, providers }, request, call)).inbox.inboxId)
  }
  await providers.close()
  await db.close()
  return ids
}
