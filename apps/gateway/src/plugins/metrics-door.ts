import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Metrics } from '../metrics.ts'

/** `loopback`: this machine only; `open`: whoever reaches the port; `off`: nobody. */
export type MetricsAccess = 'loopback' | 'open' | 'off'

export interface MetricsDoorDeps {
  readonly metrics: Metrics
  readonly metricsAccess: MetricsAccess
}

/**
 * `/metrics`. It holds counts only, yet tells how much a service is used, so by default it answers this machine and
 * looks absent to everyone else.
 */
export function metricsDoor(app: FastifyInstance, { metrics, metricsAccess }: MetricsDoorDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (metricsAccess === 'off' || (metricsAccess === 'loopback' && !isLocal(request)))
      return reply.callNotFound()
    const { type, text } = await metrics.render()
    return reply.type(type).send(text)
  })
}

/**
 * A reverse proxy on this machine is local too, and would pass the whole world through: what it forwards carries a
 * public Host or a forwarding header, and then it is not local.
 */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  )
  const host = headers.host?.replace(/:\d+$/, '') ?? ''
  return !isForwarded && isLoopback(socket.remoteAddress ?? '') && (host === 'localhost' || isLoopback(host))
}

function isLoopback(address: string): boolean {
  const bare = address.replace(/^\[(.*)\]$/, '$1').replace(/^::ffff:/, '')
  return isIP(bare) === 4 ? bare.startsWith('127.') : bare === '::1'
}
