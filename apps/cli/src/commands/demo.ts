import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultScopes } from '@postern/access'
import { createLog, newUuid, type Log } from '@postern/core'
import { startGateway, stopOnSignals, type GatewayConfig } from '@postern/gateway/start'
import { openParts } from '@postern/gateway/wire'
import { addTenant, issueApiKey, withTenant } from '@postern/store'
import type { Command } from 'commander'
import { withService } from '../call-tool.ts'
import { clientSnippets } from '../client-snippets.ts'
import { endpointOf, parseCliConfig } from '../config.ts'
import { connectSandbox } from '../connect-sandbox.ts'
import type { CommandContext } from '../context.ts'
import { makeDemoCalls, type DemoCall } from '../demo-calls.ts'
import { indent } from '../layout.ts'
import type { Run } from '../run.ts'
import { withStore } from '../with-store.ts'

interface DemoOptions {
  readonly exit?: boolean
}

export function addDemoCommand(program: Command, run: Run): void {
  program
    .command('demo')
    .description('try Postern on a made-up mailbox: a service in a temporary folder, gone when it ends')
    .option('--exit', 'end after the calls instead of staying up')
    .action((options: DemoOptions) => run((context) => runDemo(context, options)))
}

async function runDemo(context: CommandContext, options: DemoOptions): Promise<null> {
  const directory = await makeDirectory()
  const config = configOf(context, join(directory, 'data'))
  // The demo is to be read by people; what a log would say of it is not missed.
  const log = createLog('error', context.note)
  let close = (): Promise<void> => rm(directory, { recursive: true, force: true })
  try {
    say(context, 'Starting a service with a made-up mailbox of about 300 messages ...\n')
    const service = await startDemo(config, log)
    const removeDirectory = close
    close = async () => {
      await service.close()
      await removeDirectory()
    }
    const calls = await withService(service, makeDemoCalls)
    report(context, service, calls)
  } catch (error) {
    await close()
    throw error
  }
  if (options.exit === true) {
    await close()
  } else {
    say(context, '\nThe service stays up. Ctrl-C ends it and removes everything.\n')
    stopOnSignals(close, log)
  }
  return null
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

interface DemoService {
  readonly url: URL
  readonly key: string
  close(): Promise<void>
}

async function startDemo(config: GatewayConfig, log: Log): Promise<DemoService> {
  const parts = await openParts(config, log)
  try {
    const gateway = await startGateway(config, parts, log)
    const key = await withStore(config, log, async ({ database, keyRing }) => {
      const tenantId = newUuid()
      await withTenant(database, tenantId, (trx) => addTenant(trx, { name: 'Demo', plan: 'self_hosted' }))
      await connectSandbox({ database, keyRing, tenantId, now: new Date() })
      const request = { name: 'demo', scopes: defaultScopes, inboxIds: null, expiresAt: null }
      return (await issueApiKey(database, keyRing, tenantId, request)).key
    })
    const close = async (): Promise<void> => {
      await gateway.close()
      await parts.close()
    }
    return { url: endpointOf({ ...config, port: gateway.port }), key, close }
  } catch (error) {
    await parts.close()
    throw error
  }
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
