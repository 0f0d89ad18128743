import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

export interface HostOriginOptions {
  /** Exact `Host` values, lower-case, with the port where it is not the scheme's own. */
  readonly hosts: ReadonlySet<string>
  /** Exact `Origin` values. */
  readonly origins: ReadonlySet<string>
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
const exposedHeaders = 'WWW-Authenticate, Retry-After, X-Request-Id, Mcp-Session-Id, Mcp-Protocol-Version'
const allowedHeaders =
  'Authorization, X-API-Key, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id'

/**
 * Refuses what a web page could make a browser send (MCP 2025-11-25, transports, security warning): a `Host` that
 * is not ours is DNS rebinding, an `Origin` that is not listed is another site. Clients that are not browsers send
 * no `Origin`. The port counts: on one machine another port is another service.
 */
export function hostOrigin(app: FastifyInstance, { hosts, origins }: HostOriginOptions): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (!isOurHost(request, hosts) || !isAllowedOrigin(request, origins)) {
      void reply.code(403).type('text/plain').send('Forbidden: this Host or Origin is not on the list.\n')
      return
    }
    if (origin !== undefined) {
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposedHeaders,
        vary: 'Origin',
      })
      if (request.method === 'OPTIONS') return preflight(reply)
    }
    done()
  })
}

/** A listed name, or a loopback name with the port this connection really came in on. */
function isOurHost(request: FastifyRequest, hosts: ReadonlySet<string>): boolean {
  const host = request.headers.host?.toLowerCase()
  if (host === undefined) return false
  return hosts.has(host) || loopbackNames.some((name) => host === withPort(name, request.socket.localPort))
}

function isAllowedOrigin(request: FastifyRequest, origins: ReadonlySet<string>): boolean {
  const { origin } = request.headers
  if (origin === undefined || origins.has(origin)) return true
  return loopbackNames.some((name) => origin === `http://${withPort(name, request.socket.localPort)}`)
}

function withPort(name: string, port: number | undefined): string {
  return port === 80 ? name : `${name}:${String(port)}`
}

/** Fetch standard, CORS preflight. No credentials mode: keys travel in a header the page must set itself. */
function preflight(reply: FastifyReply): void {
  void reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': allowedHeaders,
      'access-control-max-age': '7200',
    })
    .send()
}
