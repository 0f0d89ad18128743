import type { FastifyInstance } from 'fastify'
import type { InFlight } from '../in-flight.ts'
import { requirePrincipal } from './require-principal.ts'
import { whenOver } from './when-over.ts'

/** Takes a place before the body is read, since bodies are what fills memory, and frees it when the exchange is over. */
export function overload(app: FastifyInstance, inFlight: InFlight): void {
  app.addHook('onRequest', (request, reply, done) => {
    whenOver(request, reply, inFlight.enter(requirePrincipal(request).tenantId))
    done()
  })
}
