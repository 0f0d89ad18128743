import type { Principal } from '@postern/access'
import { Fault } from '@postern/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** @throws unauthenticated; the same for a key that is unknown, revoked, expired or of a suspended tenant. */
export type Authenticate = (token: string) => Promise<Principal>

const bearer = /^bearer +([\x21-\x7e]{1,512})$/i
const bare = /^[\x21-\x7e]{1,512}$/

/**
 * Decides who is calling, in onRequest and from headers alone: the body of a stranger is never parsed. There is no
 * cache, so a revoked key fails on its very next request.
 */
export function authenticate(app: FastifyInstance, verify: Authenticate): void {
  app.addHook('onRequest', async (request) => {
    refuseKeyInUrl(request)
    const principal = await verify(credentialOf(request))
    const { exchange } = request
    exchange.principal = principal
    exchange.log = exchange.log.with({ tenant_id: principal.tenantId, principal_id: principal.principalId })
  })
}

/** @throws unauthenticated when there is none, it is malformed, or two are given that differ. */
function credentialOf({ headers, raw }: FastifyRequest): string {
  const { authorization } = headers
  // Node keeps the first of several, and a proxy may have looked at another.
  if ((raw.headersDistinct['authorization']?.length ?? 0) > 1) {
    throw unauthenticated('two_credentials', 'Authorization stands there more than once. Send one key.')
  }
  const apiKey = headers['x-api-key']
  if (authorization === undefined && apiKey === undefined) {
    throw unauthenticated(
      'no_credential',
      'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    )
  }
  const fromBearer = authorization === undefined ? null : bearer.exec(authorization)?.[1]
  const fromHeader =
    apiKey === undefined ? null : typeof apiKey === 'string' && bare.test(apiKey) ? apiKey : undefined
  if (fromBearer === undefined || fromHeader === undefined) {
    throw unauthenticated(
      'malformed',
      'The credential is malformed. Send one API key, as a bearer token or in X-API-Key.',
    )
  }
  if (fromBearer !== null && fromHeader !== null && fromBearer !== fromHeader) {
    throw unauthenticated(
      'two_credentials',
      'Authorization and X-API-Key name different keys. Send one of them.',
    )
  }
  return fromBearer ?? fromHeader ?? ''
}

/**
 * A key in a URL ends in logs, histories and referrers, so it is refused even where it would be right: whoever put
 * it there should notice at once.
 */
function refuseKeyInUrl(request: FastifyRequest): void {
  const mark = request.url.indexOf('?')
  if (mark === -1) return
  const params = new URLSearchParams(request.url.slice(mark + 1))
  for (const [name, value] of params) {
    if (value.startsWith('pst_') || credentialNames.has(name.toLowerCase().replace(/[-_]/g, ''))) {
      throw unauthenticated(
        'key_in_url',
        'A key must never stand in a URL. Send it in a header, and replace this key.',
      )
    }
  }
}

const credentialNames = new Set(['apikey', 'xapikey', 'key', 'token', 'accesstoken', 'authorization'])

function unauthenticated(reason: string, text: string): Fault {
  return new Fault('unauthenticated', { public: text, details: { reason } })
}
