import type { FastifyInstance } from 'fastify'
import { asRpcMessage } from '../mcp/json-rpc.ts'
import { allRevisions } from '../mcp/revisions.ts'
import type { Metrics } from '../metrics.ts'

/** Steps of a handshake and the like, by name; what a caller made up is `other`. */
const steps = new Set([
  'initialize',
  'notifications/initialized',
  'notifications/cancelled',
  'server/discover',
  'tools/list',
  'tools/call',
  'ping',
])

/**
 * One line per request that no tool call has written a line for: a client that fails to connect fails at a step, and
 * its owner asks which.
 * @param route of the door, as we named it: the path of a request may be a secret.
 */
export function requestLog(app: FastifyInstance, metrics: Metrics, route: string): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.answered(reply.statusCode)
    const { exchange } = request
    if (!exchange.isLogged) {
      const method = asRpcMessage(request.body)?.method
      const version = request.headers['mcp-protocol-version']
      exchange.log.info('mcp.request', {
        http_method: request.method,
        http_route: route,
        http_status: reply.statusCode,
        ...(typeof method === 'string' ? { step: steps.has(method) ? method : 'other' } : {}),
        ...(typeof version === 'string' && allRevisions.includes(version) ? { version } : {}),
        duration_ms: Math.round(performance.now() - exchange.startedAt),
      })
    }
    done()
  })
}
