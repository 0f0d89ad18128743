import type { Log } from '@postern/core'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { downloadDoor, type Downloads } from './files/download.ts'
import { uploadDoor, type Uploads } from './files/upload.ts'
import { approvalPage } from './approval-page.ts'
import { health, type ReadinessCheck } from './health.ts'
import type { InFlight } from './in-flight.ts'
import { createMcpDoor } from './mcp/route.ts'
import type { MakeServer } from './mcp/server.ts'
import type { Metrics } from './metrics.ts'
import { authenticate, type Authenticate } from './plugins/authenticate.ts'
import { bodyLimit, bodyLimitBytes } from './plugins/body-limit.ts'
import { asPlain, faults, notFound } from './plugins/faults.ts'
import { jsonBody } from './plugins/json-body.ts'
import { hostOrigin, type HostOriginOptions } from './plugins/host-origin.ts'
import { metricsDoor, type MetricsAccess } from './plugins/metrics-door.ts'
import { onlyPost } from './plugins/only-post.ts'
import { overload } from './plugins/overload.ts'
import { createMeters, rateLimit, type RateLimits } from './plugins/rate-limit.ts'
import { requestContext } from './plugins/request-context.ts'
import { requestLog } from './plugins/request-log.ts'
import { responseHeaders } from './plugins/response-headers.ts'

/** Everything the gateway needs of the world, as ports: this file knows no database, no mailbox and no tool. */
export interface AppDeps {
  readonly authenticate: Authenticate
  readonly makeServer: MakeServer
  readonly uploads: Uploads
  readonly downloads: Downloads
  readonly hostOrigin: HostOriginOptions
  readonly rateLimits: RateLimits
  readonly inFlight: InFlight
  readonly metrics: Metrics
  readonly metricsAccess: MetricsAccess
  readonly checks: readonly ReadinessCheck[]
  readonly isStopping: () => boolean
  readonly isHttps: boolean
  readonly toleratesModernHeader: boolean
  readonly log: Log
}

/** How long a client may take to send one request, in milliseconds. */
const requestTimeoutMs = 60_000

/**
 * The gateway, read from top to bottom as a request meets it: its context, then for the MCP endpoint who may reach it
 * (Host, Origin), who is calling, whether there is room, how much and how often; then the door. Files have two doors
 * beside it: in with the same key, out by a link that stands for one.
 * What is refused on the way ends in `faults`, and nothing about a body is believed before its sender is known.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = fastify({
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    logger: false,
    // What has reached us while we stop is answered, on a connection that then closes; the default answer would be a
    // 503 in words of its own.
    return503OnClosing: false,
    // A URL that cannot be decoded never meets a hook; the default answer would repeat it.
    frameworkErrors: badRequest,
  })
  app.removeContentTypeParser('text/plain')
  requestContext(app, deps.log)
  responseHeaders(app, deps.isHttps)
  faults(app, deps.metrics)
  notFound(app)
  health(app, deps)
  approvalPage(app)
  metricsDoor(app, deps)
  const meters = createMeters(deps.rateLimits)
  void app.register(async (mcp) => {
    requestLog(mcp, deps.metrics, '/mcp')
    hostOrigin(mcp, deps.hostOrigin)
    authenticate(mcp, deps.authenticate)
    onlyPost(mcp)
    overload(mcp, deps.inFlight)
    bodyLimit(mcp)
    jsonBody(mcp)
    rateLimit(mcp, meters)
    const door = createMcpDoor(deps.makeServer, deps)
    mcp.all('/mcp', door.handle)
    mcp.addHook('onClose', door.close)
  })
  void app.register(async (files) => {
    requestLog(files, deps.metrics, '/api/v1/uploads')
    hostOrigin(files, deps.hostOrigin)
    faults(files, deps.metrics, asPlain)
    authenticate(files, deps.authenticate)
    onlyPost(files)
    overload(files, deps.inFlight)
    uploadDoor(files, deps.uploads, meters)
  })
  void app.register(async (files) => {
    requestLog(files, deps.metrics, '/files')
    hostOrigin(files, deps.hostOrigin)
    faults(files, deps.metrics, asPlain)
    downloadDoor(files, deps.downloads, { meters, inFlight: deps.inFlight })
  })
  return app
}

function badRequest(_error: FastifyError, _request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(400).send({ error: 'bad_request' })
}
