import { defaultScopes, keyRateLimits, type Plan, type Principal, type Scope } from '@postern/access'
import { createLog, Fault } from '@postern/core'
import type { Tools } from '@postern/tools'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildApp, type AppDeps } from '../../src/app.ts'
import { createInFlight, type InFlightLimits } from '../../src/in-flight.ts'
import { createServerFactory, type MakeServer } from '../../src/mcp/server.ts'
import { createMetrics } from '../../src/metrics.ts'
import { fakeTools } from './fake-tools.ts'

export interface Listener {
  /** Origin, without a path. */
  readonly origin: string
  /** The MCP endpoint. */
  readonly url: string
  /** Lines logged so far, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  close(): Promise<void>
}

export interface ListenerOptions {
  readonly tools?: Tools
  /** Keys that are known, and whom they stand for; may change while the listener runs. */
  readonly keys?: Map<string, Principal>
  /** Sent along with requests that bring no credential: for suites that cannot send one. */
  readonly impliedKey?: string
  readonly inFlight?: InFlightLimits
  /** Puts more on each server the factory makes. */
  readonly wrapServer?: (makeServer: MakeServer) => MakeServer
  readonly deps?: Partial<AppDeps>
}

/** The stack of the gateway over HTTP on a free port, with the ports of `AppDeps` bound to things a test can see. */
export async function listen(options: ListenerOptions = {}): Promise<Listener> {
  const lines: Readonly<Record<string, unknown>>[] = []
  const log = createLog('debug', (line) => void lines.push(JSON.parse(line) as Record<string, unknown>))
  const keys = options.keys ?? new Map([[testKey, principal()]])
  const metrics = createMetrics()
  const inFlight = createInFlight(options.inFlight ?? { total: 256, perTenant: 64 })
  const makeServer = createServerFactory({ tools: options.tools ?? fakeTools(), metrics, inFlight })
  const app = buildApp({
    authenticate: async (token) => keys.get(token) ?? unknownKey(),
    makeServer: (options.wrapServer ?? unchanged)(makeServer),
    uploads: { put: async () => unknownKey() },
    downloads: { find: async () => null },
    hostOrigin: {
      hosts: new Set(['mcp.example.com']),
      origins: new Set(['https://claude.ai', 'https://mcp.example.com']),
    },
    rateLimits: { ...keyRateLimits, tenantMinute: null },
    metrics,
    metricsAccess: 'loopback',
    checks: [],
    isStopping: () => false,
    isHttps: false,
    toleratesModernHeader: false,
    log,
    inFlight,
    ...options.deps,
  })
  await app.ready()
  const server = createServer((request, response) => {
    if (options.impliedKey !== undefined) implyKey(request, options.impliedKey)
    app.routing(request, response)
  })
  const port = await listenOn(server)
  const origin = `http://127.0.0.1:${String(port)}`
  return {
    origin,
    url: `${origin}/mcp`,
    lines,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await app.close()
    },
  }
}

export const testKey = 'pst_live_test'

function unchanged(makeServer: MakeServer): MakeServer {
  return makeServer
}

let madePrincipals = 0

/** A caller of a tenant of its own, unless told otherwise. */
export function principal(of: { tenantId?: string; scopes?: readonly Scope[]; plan?: Plan } = {}): Principal {
  madePrincipals += 1
  return {
    kind: 'api_key',
    principalId: `key_${String(madePrincipals)}`,
    tenantId: of.tenantId ?? `tenant_${String(madePrincipals)}`,
    grant: { scopes: new Set(of.scopes ?? defaultScopes), inboxIds: null, expiresAt: null },
    plan: of.plan ?? 'self_hosted',
  }
}

function unknownKey(): never {
  throw new Fault('unauthenticated', { public: 'The API key is unknown or revoked.' })
}

function implyKey(request: IncomingMessage, key: string): void {
  request.headers.authorization ??= `Bearer ${key}`
}

async function listenOn(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
