import type { FastifyInstance } from 'fastify'

/**
 * Headers of every answer. Nothing here is a page, so a browser may do nothing with it; nothing may be cached,
 * since answers depend on a credential.
 * @param isHttps whether the public URL is; only then may a browser be told to insist on it (RFC 6797 7.2).
 */
export function responseHeaders(app: FastifyInstance, isHttps: boolean): void {
  const headers = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
