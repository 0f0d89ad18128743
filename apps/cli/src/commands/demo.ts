import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, newUuid, type Log } from '@postern/core'
import { stopOnSignals, type GatewayConfig } from '@postern/gateway/start'
import { addTenant, issueApiKey, withTenant } from '@postern/store'
import type { Command } from 'commander'
import { withService } from '../call-tool.ts'
import { clientSnippets } from '../client-snippets.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import { connectSandbox } from '../connect-sandbox.ts'
import type { CommandContext } from '../context.ts'
import { makeDemoCalls, type DemoCall } from '../demo-calls.ts'
import { indent } from '../layout.ts'
import { runService, type RunningService } from '../run-service.ts'
import type { Run } from '../run.ts'
import { withStore, type OpenStore } from '../with-store.ts'

interface DemoOptions {
  readonly exit?: boolean
}

export function defineDemo(demo: Command, run: Run): void {
  demo
    .option('--exit', 'end after the calls instead of staying up')
    .action((options: DemoOptions) => run((context) => runDemo(context, options)))
}

async function runDemo(context: CommandContext, options: DemoOptions): Promise<null> {
  const directory = await makeDirectory()
  // The demo is to be read by people; what a log would say of it is not missed.
  const log = createLog('error', context.note)
  say(context, 'Starting a service with a made-up mailbox of about 300 messages ...\n')
  const starting = startDemo(configOf(context, join(directory, 'data')), log)
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => (closing ??= closeDemo(starting, directory))
  const stop = stopOnSignals(close, log)
  let staysUp = false
  try {
    const service = await starting
    report(context, service, await withService(service, makeDemoCalls))
    staysUp = options.exit !== true
  } finally {
    if (!staysUp) await close()
  }
  if (staysUp) {
    say(context, '\nThe service stays up. Ctrl-C ends it and removes everything.\n')
    await (
      await starting
    ).lost
    stop(1)
  }
  return null
}

async function closeDemo(starting: Promise<DemoService>, directory: string): Promise<void> {
  try {
    await (await starting).close()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** As root, PostgreSQL runs as a user of its own and must be able to pass through. */
async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-demo-'))
  if (process.getuid?.() === 0) await chmod(directory, 0o711)
  return directory
}

/** The demo keeps to itself: its own folder and keys, loopback, and a free port unless one was chosen. */
function configOf(context: CommandContext, dataDir: string): GatewayConfig {
  const { POSTERN_PORT: port = '0' } = context.environment
  return parseCliConfig({ POSTERN_DATA_DIR: dataDir, POSTERN_PORT: port, POSTERN_LOG_LEVEL: 'error' }).service
}

interface DemoService extends RunningService {
  readonly url: URL
  readonly key: string
}

/** What a demo key may do. */
const demoScopes = ['read:email', 'search:email'] as const

async function startDemo(config: GatewayConfig, log: Log): Promise<DemoService> {
  const service = await runService(config, log)
  try {
    const key = await withStore(config, log, fillDemo)
    return { ...service, url: endpointOf({ ...config, port: service.port }), key }
  } catch (error) {
    await service.close()
    throw error
  }
}

/** One tenant, one sandbox inbox, one key that reads. */
async function fillDemo({ database, keyRing }: OpenStore): Promise<string> {
  const tenantId = newUuid()
  await withTenant(database, tenantId, (trx) => addTenant(trx, { name: 'Demo', plan: 'self_hosted' }))
  await connectSandbox({ database, keyRing, tenantId, now: new Date() })
  const request = { name: 'demo', scopes: demoScopes, inboxIds: null, expiresAt: null }
  return (await issueApiKey(database, keyRing, tenantId, request)).key
}

function say(context: CommandContext, text: string): void {
  if (!context.isJson) context.print(text)
}

function report(context: CommandContext, service: DemoService, calls: readonly DemoCall[]): void {
  if (context.isJson) {
    const answers = calls.map(({ tool, arguments: args, result }) => ({ tool, arguments: args, result }))
    context.print(`${JSON.stringify({ url: service.url.href, key: service.key, calls: answers })}\n`)
    return
  }
  for (const [index, call] of calls.entries()) {
    context.print(
      `\n${index + 1}. ${call.question}\n   ${call.tool} ${JSON.stringify(call.arguments)}\n\n${indent(call.shown, 3)}`,
    )
  }
  context.print(`\nThe same for your own agent:\n\n  URL  ${service.url.href}\n  Key  ${service.key}\n`)
  for (const { client, how, text } of clientSnippets(service.url.href, service.key)) {
    context.print(`\n${client} (${how})\n\n${indent(`${text}\n`)}`)
  }
}
