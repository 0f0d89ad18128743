import type { FastifyInstance } from 'fastify'
import type { InFlight } from '../in-flight.ts'
import { requirePrincipal } from './require-principal.ts'

/** Takes a place before the body is read, since bodies are what fills memory, and frees it with the connection. */
export function overload(app: FastifyInstance, inFlight: InFlight): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', inFlight.enter(requirePrincipal(request).tenantId))
    done()
  })
}
