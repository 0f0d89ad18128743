import type { Principal } from '@postern/access'
import { mediaType, type Call } from '@postern/mail'
import type { OpenFile } from '@postern/tools'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { InFlight } from '../in-flight.ts'
import { nothingThere } from '../plugins/faults.ts'
import type { Meters } from '../plugins/rate-limit.ts'
import { whenOver } from '../plugins/when-over.ts'
import { contentDisposition } from './content-disposition.ts'

/** A link that is good: whose it is, and the way to its file. */
export interface GoodLink {
  readonly principal: Principal
  /**
   * Takes a use and opens the file at its provider; null when the last use was just taken, or the file is gone.
   * @throws provider_*, timeout, inbox_*; so does the stream.
   */
  open(call: Call): Promise<OpenFile | null>
}

export interface Downloads {
  /** Null for every link that leads nowhere, whatever the reason. */
  find(link: string): Promise<GoodLink | null>
}

/** As long as a reader may take. */
const streamMs = 5 * 60_000

/**
 * `GET /files/<link>`: the link is the credential, for one file. Octets go from the provider to the client as they come;
 * a browser is told in every way there is to keep the file and not to open it.
 */
export function downloadDoor(
  app: FastifyInstance,
  downloads: Downloads,
  { meters, inFlight }: { readonly meters: Meters; readonly inFlight: InFlight },
): void {
  // No HEAD: it would open the file for nothing.
  app.get<{ Params: { link: string } }>(
    '/files/:link',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const link = await downloads.find(request.params.link)
      if (link === null) return reply.code(404).send(nothingThere)
      const { exchange } = request
      const { principal } = link
      exchange.log = exchange.log.with({ tenant_id: principal.tenantId, principal_id: principal.principalId })
      whenOver(request, reply, inFlight.enter(principal.tenantId))
      await meters.takeCall(principal)
      const file = await link.open(callOf(request))
      return file === null ? reply.code(404).send(nothingThere) : send(file, reply)
    },
  )
}

function callOf({ exchange: { signal, log } }: FastifyRequest): Call {
  return { signal, log, deadline: new Date(Date.now() + streamMs) }
}

function send({ filename, mimeType, octets }: OpenFile, reply: FastifyReply): FastifyReply {
  const type = mediaType(mimeType) ?? 'application/octet-stream'
  return reply
    .headers({
      'content-type': type,
      'content-disposition': contentDisposition(
        filename,
        type === 'message/rfc822' ? 'message.eml' : 'attachment.bin',
      ),
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-download-options': 'noopen',
    })
    .send(Readable.from(octets, { objectMode: false }))
}
