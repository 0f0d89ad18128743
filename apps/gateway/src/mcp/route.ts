import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { ListOptions } from '@postern/tools'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requirePrincipal } from '../plugins/require-principal.ts'
import { challenge } from './challenge.ts'
import { asRpcMessage, rpcCodes, rpcErrorBody, rpcIdOf, type RpcError } from './json-rpc.ts'
import { normaliseHeaders, type NormaliseOptions } from './normalise-headers.ts'
import { allRevisions, isLegacyRevision } from './revisions.ts'
import type { MakeServer, McpRequest } from './server.ts'

export interface McpDoor {
  readonly handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
  readonly close: () => Promise<void>
}

/** The SDK wants a URL; nothing reads it, so none that a caller chose is passed on. */
const endpoint = 'http://postern.invalid/mcp'

/**
 * The one stateless endpoint, both eras. Each message gets a server and a transport of its own, and nothing is
 * kept between two of them: any instance answers any request.
 */
export function createMcpDoor(makeServer: MakeServer, options: NormaliseOptions): McpDoor {
  const requests = new WeakMap<Request, McpRequest>()
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const found = requestInfo === undefined ? undefined : requests.get(requestInfo)
      if (found === undefined) throw new TypeError('a request that did not come through this door')
      return makeServer(found)
    },
    { responseMode: 'auto', legacy: 'reject', maxSubscriptions: 0 },
  )
  return {
    handle: async (request, reply) => {
      const { body } = request
      const web = new Request(endpoint, {
        method: 'POST',
        headers: normaliseHeaders(request.headers, body, options),
        signal: request.exchange.signal,
      })
      const mcp = mcpRequest(request)
      requests.set(web, mcp)
      const answer = await respond(web, body, { mcp, makeServer, modern })
      return reply.send(mcp.edge === null ? answer : (challenge(mcp.edge, rpcIdOf(body)) ?? answer))
    },
    close: () => modern.close(),
  }
}

interface Serving {
  readonly mcp: McpRequest
  readonly makeServer: MakeServer
  readonly modern: {
    readonly fetch: (request: Request, options: { parsedBody: unknown }) => Promise<Response>
  }
}

async function respond(web: Request, body: unknown, { mcp, makeServer, modern }: Serving): Promise<Response> {
  if (!(await isLegacyRequest(web, body))) {
    // The SDK would open a stream for a subscription; there is nothing here to subscribe to.
    if (asRpcMessage(body)?.method === 'subscriptions/listen') return methodNotFound(body)
    mcp.canStream = true
    return modern.fetch(web, { parsedBody: body })
  }
  const version = web.headers.get('mcp-protocol-version')
  if (version !== null && !isLegacyRevision(version)) return unsupportedRevision(body, version)
  return serveLegacy(web, body, makeServer(mcp))
}

async function serveLegacy(web: Request, body: unknown, server: ReturnType<MakeServer>): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  // Not closed: server and transport hold nothing but each other, and closing makes an error for nobody.
  return Promise.race([transport.handleRequest(web, { parsedBody: body }), aborted(web.signal)])
}

/** The transport never settles a request whose client is gone; this does, so that nothing waits for it. */
async function aborted(signal: AbortSignal): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const gone = (): void => resolve(new Response(null, { status: 499 }))
  if (signal.aborted) gone()
  else signal.addEventListener('abort', gone, { once: true })
  return promise
}

function mcpRequest(request: FastifyRequest): McpRequest {
  const { exchange } = request
  const { requestId, signal, log } = exchange
  return {
    principal: requirePrincipal(request),
    requestId,
    signal,
    log,
    options: listOptions(request.url),
    takesLinks: takesLinks(request.headers['mcp-protocol-version']),
    canStream: false,
    edge: null,
    onLogged: () => {
      exchange.isLogged = true
    },
  }
}

/** `resource_link` came with 2025-06-18, and so did the header: who sends none is of an earlier revision. */
function takesLinks(version: unknown): boolean {
  return typeof version === 'string' && version !== '2025-03-26'
}

/** `?toolsets=a,b` and `?readonly=1`. They only narrow; unknown names are the tools' to ignore. */
function listOptions(url: string): ListOptions {
  const mark = url.indexOf('?')
  if (mark === -1) return noOptions
  const query = new URLSearchParams(url.slice(mark + 1))
  const toolsets = query.get('toolsets')
  return {
    toolsets: toolsets === null ? null : toolsets.split(',').map((name) => name.trim()),
    isReadOnly: query.get('readonly') === '1',
  }
}

const noOptions: ListOptions = { toolsets: null, isReadOnly: false }

function methodNotFound(body: unknown): Response {
  return errorResponse(404, body, { code: rpcCodes.methodNotFound, message: 'Method not found' })
}

/** A version header that names no revision of ours, the two of 2024 among them. */
function unsupportedRevision(body: unknown, requested: string): Response {
  return errorResponse(400, body, {
    code: rpcCodes.unsupportedRevision,
    message: 'Unsupported protocol version',
    data: { supported: allRevisions, requested: requested.slice(0, 64) },
  })
}

function errorResponse(status: number, body: unknown, error: RpcError): Response {
  return Response.json(rpcErrorBody(rpcIdOf(body), error), { status })
}
