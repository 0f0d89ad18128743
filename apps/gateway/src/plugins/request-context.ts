import type { Principal } from '@postern/access'
import { Fault, newId, type Log } from '@postern/core'
import type { FastifyInstance } from 'fastify'
import { whenOver } from './when-over.ts'

/** What is known of one HTTP request, for as long as it is answered. */
export interface Exchange {
  readonly requestId: string
  /** Milliseconds, monotonic. */
  readonly startedAt: number
  /** Fires when the client is gone before its answer was finished: the only way a call is cancelled. */
  readonly signal: AbortSignal
  /** Carries the request id, and from `authenticate` on whose request it is. */
  log: Log
  /** Set by `authenticate`. */
  principal: Principal | null
  /** The tool call wrote its own line; a second one for the same request would only count twice. */
  isLogged: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange
  }
}

/** Gives each request its id (never one from outside: a log would repeat it) and its signal. */
export function requestContext(app: FastifyInstance, log: Log): void {
  // Fastify wants the slot declared with a primitive; onRequest fills it before anything reads it.
  app.decorateRequest('exchange', null as unknown as Exchange)
  app.addHook('onRequest', (request, reply, done) => {
    const controller = new AbortController()
    whenOver(request, reply, () => {
      if (!reply.raw.writableFinished) controller.abort(clientGone())
    })
    const requestId = newId('req')
    request.exchange = {
      requestId,
      startedAt: performance.now(),
      signal: controller.signal,
      log: log.with({ request_id: requestId }),
      principal: null,
      isLogged: false,
    }
    reply.header('x-request-id', requestId)
    done()
  })
}

/** Nobody reads it; as a Fault it is recorded as what it is and not as a failure of ours. */
function clientGone(): Fault {
  return new Fault('timeout', {
    public: 'The client closed the connection before the answer was ready.',
    internal: 'client disconnected',
  })
}
