import { existsSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { InboxRecord } from '@postern/access'
import { Fault, toFault } from '@postern/core'
import { ConfigError, type GatewayConfig } from '@postern/gateway/start'
import { toProviderKind } from '@postern/inboxes'
import { createProviders, type Providers } from '@postern/providers'
import { credentialContext, getSealed, listInboxes, withTenant } from '@postern/store'
import { open } from '@postern/vault'
import { callWithin } from './call-within.ts'
import { commandLog } from './command-log.ts'
import { endpointOf, parseCliConfig } from './config.ts'
import { readPem } from './connect-imap.ts'
import type { CommandContext } from './context.ts'
import { allTenants } from './resolve-tenant.ts'
import { withStore, type OpenStore } from './with-store.ts'

export interface Finding {
  readonly check: string
  /** `note` is nothing wrong, but worth knowing. */
  readonly state: 'ok' | 'note' | 'failed'
  readonly found: string
  readonly advice?: string
}

const minimumNode = [22, 19] as const

/** Looks at everything a service needs, in the order in which one thing needs another; stops where that breaks. */
export async function* examine(context: CommandContext): AsyncGenerator<Finding> {
  yield nodeFinding(process.versions.node)
  const config = readConfig(context)
  if (!('dataDir' in config)) {
    yield config
    return
  }
  yield { check: 'configuration', state: 'ok', found: 'every setting can be used' }
  yield* dataFolderFindings(config)
  yield await serviceFinding(config)
  yield* storeFindings(context, config)
}

function nodeFinding(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])
  if (isEnough) return { check: 'node', state: 'ok', found: version }
  return {
    check: 'node',
    state: 'failed',
    found: `${version} is too old`,
    advice: 'Use npx postern doctor, which takes the Node that npm ci brought, or install Node 24.',
  }
}

function readConfig(context: CommandContext): GatewayConfig | Finding {
  try {
    return parseCliConfig(context.environment).service
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      check: 'configuration',
      state: 'failed',
      found: error.problems.join('; '),
      advice: 'Correct these environment variables; README and .env.example describe them.',
    }
  }
}

async function* dataFolderFindings(config: GatewayConfig): AsyncGenerator<Finding> {
  if (config.databaseUrl !== null) {
    yield { check: 'data folder', state: 'note', found: 'not used, the database is a server of your own' }
    return
  }
  const { dataDir } = config
  if (!existsSync(dataDir)) {
    yield {
      check: 'data folder',
      state: 'note',
      found: `${dataDir} is not there yet; the first start makes it`,
    }
    return
  }
  const isWritable = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  )
  yield isWritable
    ? { check: 'data folder', state: 'ok', found: dataDir }
    : {
        check: 'data folder',
        state: 'failed',
        found: `${dataDir} cannot be written by this user`,
        advice:
          'Run this as the user of the service, change the owner of the folder, or set POSTERN_DATA_DIR.',
      }
  if (config.secretKeys === null) yield keyFileFinding(join(dataDir, 'secret-keys'))
}

function keyFileFinding(path: string): Finding {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined)
    return { check: 'secret key', state: 'note', found: 'not there yet; the first start makes it' }
  if ((file.mode & 0o077) === 0)
    return { check: 'secret key', state: 'ok', found: `${path}, readable by its user alone` }
  return {
    check: 'secret key',
    state: 'failed',
    found: `others could read ${path}`,
    advice: `Run: chmod 600 ${path}`,
  }
}

async function serviceFinding(config: GatewayConfig): Promise<Finding> {
  const { origin } = endpointOf(config)
  const health = await statusOf(`${origin}/health`)
  if (health === null) {
    return {
      check: 'service',
      state: 'note',
      found: `nothing answers at ${origin}`,
      advice: 'Start it with npm start.',
    }
  }
  const ready = await statusOf(`${origin}/ready`)
  if (health === 200 && ready === 200)
    return { check: 'service', state: 'ok', found: `answers at ${origin} and is ready` }
  return {
    check: 'service',
    state: 'failed',
    found: health === 200 ? `answers at ${origin}, but is not ready` : `something else answers at ${origin}`,
    advice: health === 200 ? 'Its log says what it waits for.' : 'Give this service another POSTERN_PORT.',
  }
}

async function statusOf(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3_000), redirect: 'manual' })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return null
  }
}

async function* storeFindings(context: CommandContext, config: GatewayConfig): AsyncGenerator<Finding> {
  const findings: Finding[] = []
  try {
    await withStore(config, commandLog(context), async (store) => {
      findings.push(...(await examineStore(config, store)))
    })
  } catch (error) {
    const fault = toFault(error)
    // The operator reads this, for whom the internal text is meant.
    const cause = fault.internal === null ? {} : { advice: fault.internal }
    findings.push({ check: 'database', state: 'failed', found: fault.public, ...cause })
  }
  yield* findings
}

async function examineStore(config: GatewayConfig, store: OpenStore): Promise<readonly Finding[]> {
  const how = store.wasRunning ? 'runs' : 'was started for this check'
  const tenants = await allTenants(store.database)
  const findings: Finding[] = [
    { check: 'database', state: 'ok', found: `${how}, is up to date, and its roles are walled` },
    tenants.length === 0
      ? {
          check: 'tenants',
          state: 'note',
          found: 'none yet',
          advice: 'Make one: postern tenant create "Your name"',
        }
      : { check: 'tenants', state: 'ok', found: String(tenants.length) },
  ]
  const extraCa = config.extraCaFile === null ? undefined : await readPem(config.extraCaFile)
  const providers = createProviders({ allowPrivateHosts: config.allowsPrivateHosts, extraCa })
  try {
    for (const { tenantId } of tenants) {
      const inboxes = await withTenant(store.database, tenantId, listInboxes)
      findings.push(...(await Promise.all(inboxes.map((inbox) => inboxFinding(store, providers, inbox)))))
    }
  } finally {
    await providers.close()
  }
  return findings
}

async function inboxFinding(store: OpenStore, providers: Providers, inbox: InboxRecord): Promise<Finding> {
  const check = `inbox ${inbox.emailAddress}`
  const reconnect = `postern inbox connect ${inbox.provider} --address ${inbox.emailAddress}`
  try {
    const result = await checkInbox(store, providers, inbox)
    if (result === null) {
      return {
        check,
        state: 'failed',
        found: 'it has no password stored',
        advice: `Connect it again: ${reconnect}`,
      }
    }
    if (!result.ok) {
      const found = `step "${result.step}" failed: ${result.advice.replace(/ Nothing was changed\.$/, '')}`
      const again =
        result.step === 'login' || result.step === 'submission'
          ? `Where the password changed, connect it again: ${reconnect}`
          : ''
      return { check, state: 'failed', found, advice: [...result.suggestions, again].join(' ').trim() }
    }
    const found = inbox.provider === 'imap' ? result.advice : 'can be read'
    if (inbox.status === 'connected') return { check, state: 'ok', found }
    return {
      check,
      state: 'failed',
      found: `is ${inbox.status}`,
      advice: `It can be read again: ${reconnect}`,
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return {
      check,
      state: 'failed',
      found: error.public,
      advice: 'The secret keys may not be those it was stored with.',
    }
  }
}

async function checkInbox({ database, keyRing }: OpenStore, providers: Providers, inbox: InboxRecord) {
  const { tenantId, inboxId } = inbox
  const sealed = await getSealed(database, tenantId, inboxId, 'mail')
  if (sealed === null) return null
  const opened = open(keyRing, sealed.envelope, credentialContext(tenantId, inboxId, 'mail'))
  const credential: unknown = JSON.parse(Buffer.from(opened).toString('utf8'))
  return providers.check(toProviderKind(inbox.provider), credential, callWithin(25))
}
