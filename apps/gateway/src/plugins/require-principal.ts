import type { Principal } from '@postern/access'
import type { FastifyRequest } from 'fastify'

/** The caller of a request that `authenticate` let through. Anything else is a door mounted without it: a bug. */
export function requirePrincipal({ exchange }: FastifyRequest): Principal {
  if (exchange.principal === null) throw new TypeError('this door has no authenticate hook')
  return exchange.principal
}
