import { Fault, type Log } from '@postern/core'
import { setTimeout as delay } from 'node:timers/promises'
import { allowedNames } from './allowed-names.ts'
import { buildApp } from './app.ts'
import type { GatewayConfig } from './config.ts'
import { hearRejections } from './hear-rejections.ts'
import { createInFlight } from './in-flight.ts'
import { createServerFactory } from './mcp/server.ts'
import { createMetrics } from './metrics.ts'
import type { GatewayParts } from './wire.ts'

export { ConfigError, parseConfig, type Environment, type GatewayConfig } from './config.ts'
export { describeConfig, renderEnvExample, renderSettingsTable } from './describe-config.ts'
export { stopOnSignals } from './stop-signals.ts'

export interface RunningGateway {
  /** Where it listens, as a URL without a path. */
  readonly address: string
  readonly port: number
  /**
   * Takes no new requests, lets those under way finish for the configured time, then cuts them off. The parts stay
   * open: whoever made them closes them. May be called twice.
   */
  close(): Promise<void>
}

/**
 * Starts answering. The parts are made by `openParts`, and may be shared with a worker in the same process.
 * @throws internal_error when the address cannot be listened on.
 */
export async function startGateway(
  config: GatewayConfig,
  parts: GatewayParts,
  log: Log,
): Promise<RunningGateway> {
  const metrics = createMetrics()
  const inFlight = createInFlight(config.inFlight)
  let isStopping = false
  const app = buildApp({
    authenticate: parts.authenticate,
    makeServer: createServerFactory({ tools: parts.tools, metrics, inFlight }),
    uploads: parts.uploads,
    downloads: parts.downloads,
    hostOrigin: allowedNames(config),
    rateLimits: config.rateLimits,
    inFlight,
    metrics,
    metricsAccess: config.metricsAccess,
    checks: parts.checks,
    isStopping: () => isStopping,
    isHttps: config.publicUrl?.startsWith('https:') ?? false,
    toleratesModernHeader: config.toleratesModernHeader,
    log,
  })
  metrics.watch({
    name: 'postern_requests_in_flight',
    help: 'Requests being answered',
    read: () => inFlight.size,
  })
  for (const gauge of parts.gauges) metrics.watch(gauge)
  const address = await listening(() => app.listen({ host: config.host, port: config.port }))
  const port = Number(new URL(address).port)
  await parts.begin()
  const stopHearing = hearRejections(log)
  log.info('gateway_started', { host: config.host, port })
  const stop = async (): Promise<void> => {
    isStopping = true
    // A kept-alive connection would hold the server open after its last answer.
    const idle = setInterval(() => app.server.closeIdleConnections(), 100)
    const timer = new AbortController()
    const cutOff = delay(config.shutdownSeconds * 1_000, undefined, {
      signal: timer.signal,
      ref: false,
    }).then(
      () => app.server.closeAllConnections(),
      () => undefined,
    )
    try {
      await Promise.race([Promise.all([app.close(), inFlight.drained()]), cutOff])
    } finally {
      clearInterval(idle)
      timer.abort()
      stopHearing()
    }
    log.info('gateway_stopped')
  }
  let stopped: Promise<void> | null = null
  return { address, port, close: () => (stopped ??= stop()) }
}

const refusals: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'The address that POSTERN_HOST and POSTERN_PORT name is in use. Stop what uses it, or set another POSTERN_PORT.',
  EACCES: 'This user may not listen at POSTERN_PORT. Set one above 1023.',
  EADDRNOTAVAIL: 'POSTERN_HOST is no address of this machine.',
}

async function listening(listen: () => Promise<string>): Promise<string> {
  try {
    return await listen()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new Fault('internal_error', {
      public: refusals[code] ?? 'POSTERN_HOST and POSTERN_PORT name an address that cannot be listened on.',
      internal: code,
      cause: error,
    })
  }
}
