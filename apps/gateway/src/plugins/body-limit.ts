import type { Principal, Scope } from '@postern/access'
import { Fault } from '@postern/core'
import type { FastifyInstance } from 'fastify'
import { Transform } from 'node:stream'
import { requirePrincipal } from './require-principal.ts'

/** 10 MB of attachments as base64, plus text. Larger ones come by reference or upload. */
export const bodyLimitBytes = 16 * 1024 * 1024

/** What is enough for every call that composes no mail. */
const smallBodyLimitBytes = 1024 * 1024

const composingScopes: readonly Scope[] = ['send:email', 'manage:drafts', 'schedule:email']

/**
 * Whoever may not compose mail has no use for a large body, and parsing one costs everybody: refused by its
 * Content-Length before an octet is read, and by counting where no length was announced.
 */
export function bodyLimit(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > smallBodyLimitBytes && !mayCompose(requirePrincipal(request))) throw tooLarge()
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['content-length'] !== undefined || mayCompose(requirePrincipal(request))) {
      done(null, payload)
      return
    }
    const counted = payload.pipe(countingTo(smallBodyLimitBytes))
    payload.once('error', (error) => counted.destroy(error))
    done(null, counted)
  })
}

function mayCompose({ grant }: Principal): boolean {
  return composingScopes.some((scope) => grant.scopes.has(scope))
}

function countingTo(limit: number): Transform & { receivedEncodedLength: number } {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      counter.receivedEncodedLength += chunk.length
      if (counter.receivedEncodedLength > limit) done(tooLarge())
      else done(null, chunk)
    },
  }) as Transform & { receivedEncodedLength: number }
  counter.receivedEncodedLength = 0
  return counter
}

function tooLarge(): Fault {
  return new Fault('message_too_large', {
    public: 'This key may not compose mail, so its requests may have at most 1 MiB. Nothing was done.',
    details: { limit_bytes: smallBodyLimitBytes },
  })
}
