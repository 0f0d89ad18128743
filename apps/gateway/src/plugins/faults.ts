import { Fault, toFault } from '@postern/core'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { rpcCodes, rpcErrorBody, rpcIdOf, type RpcError } from '../mcp/json-rpc.ts'
import { protocolError, type ProtocolAnswer } from '../mcp/protocol-error.ts'
import type { Metrics, Refusal } from '../metrics.ts'

/** What the HTTP layer itself refuses, in our words: its own would name its inner workings. */
const refusals: Readonly<Record<string, ProtocolAnswer>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: refusal(
    400,
    rpcCodes.parseError,
    'Parse error: the body is not valid JSON.',
  ),
  FST_ERR_CTP_EMPTY_JSON_BODY: refusal(400, rpcCodes.parseError, 'Parse error: the body is empty.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: refusal(
    415,
    rpcCodes.invalidRequest,
    'The Content-Type is none, or not one that is taken here; /mcp takes application/json.',
  ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: refusal(
    400,
    rpcCodes.invalidRequest,
    'The body is not of its announced length.',
  ),
  FST_ERR_CTP_BODY_TOO_LARGE: refusal(413, rpcCodes.invalidRequest, 'The request is larger than 16 MiB.'),
}

/** How an answer is put into words: as JSON-RPC, or as an object of its own for doors that speak none. */
export type RenderAnswer = (answer: ProtocolAnswer, request: FastifyRequest) => unknown

const asRpc: RenderAnswer = ({ error }, request) => rpcErrorBody(rpcIdOf(request.body), error)

/** `error_code` and `message`, with the details beside them. */
export const asPlain: RenderAnswer = ({ error }) => ({
  error_code: 'bad_request',
  message: error.message,
  ...error.data,
})

/** The HTTP renderer of faults: every error of every hook and handler ends here and nowhere else. */
export function faults(app: FastifyInstance, metrics: Metrics, render: RenderAnswer = asRpc): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerTo(error, request, metrics)
    return reply.code(answer.status).headers(answer.headers).send(render(answer, request))
  })
}

/** What is not there, whatever was asked for. */
export function notFound(app: FastifyInstance): void {
  // Well-known documents included: a client that finds OAuth metadata would drop the key it was given.
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(nothingThere))
}

/** The one body of every 404 that is not a protocol's. */
export const nothingThere = { error: 'not_found' } as const

function answerTo(error: FastifyError, request: FastifyRequest, metrics: Metrics): ProtocolAnswer {
  // Fastify puts a status on errors that come out of a body stream, ours too, so the class is asked first.
  if (!(error instanceof Fault)) {
    const answer = refusals[error.code] ?? clientError(error)
    if (answer !== null) {
      metrics.refused(answer.status === 413 ? 'too_large' : 'malformed')
      return answer
    }
  }
  const fault = toFault(error)
  metrics.refused(reasonOf(fault))
  return fault.whose === 'postern' && fault.code !== 'service_busy'
    ? ourBug(fault, request)
    : refused(fault, request)
}

function clientError({ statusCode }: FastifyError): ProtocolAnswer | null {
  if (statusCode === undefined || statusCode < 400 || statusCode >= 500) return null
  return refusal(statusCode, rpcCodes.invalidRequest, 'The request is malformed.')
}

function refused(fault: Fault, { exchange }: FastifyRequest): ProtocolAnswer {
  const { code, public: message, details, retryAfterSeconds, reference } = fault
  exchange.log.info('request.refused', { fault_code: code, reference })
  exchange.isLogged = true
  const data = retryAfterSeconds === null ? details : { ...details, retry_after: retryAfterSeconds }
  const answer = protocolError({ code, message, data })
  return code === 'unauthenticated'
    ? { ...answer, headers: { 'www-authenticate': bearerChallenge(fault) } }
    : answer
}

/**
 * RFC 6750 section 3: without a credential no error code, with one `invalid_token`. Never `resource_metadata`: this
 * host takes keys only, and a key cannot be repaired by signing in.
 */
function bearerChallenge({ details }: Fault): string {
  const challenge = 'Bearer realm="postern"'
  return details['reason'] === 'no_credential'
    ? challenge
    : `${challenge}, error="invalid_token", error_description="unknown or revoked key"`
}

function ourBug({ code, reference, internal }: Fault, { exchange }: FastifyRequest): ProtocolAnswer {
  exchange.log.error('request.failed', {
    fault_code: code,
    reference,
    ...(internal === null ? {} : { cause: internal }),
  })
  exchange.isLogged = true
  return refusal(500, rpcCodes.internalError, 'Internal error', { reference })
}

function reasonOf({ code, details }: Fault): Refusal {
  const window = details['window']
  return code === 'rate_limit_exceeded' && isWindow(window) ? window : code
}

const windows = ['minute', 'hour', 'day', 'tenant_minute', 'concurrency'] as const

function isWindow(value: unknown): value is (typeof windows)[number] {
  return (windows as readonly unknown[]).includes(value)
}

function refusal(status: number, code: number, message: string, data?: RpcError['data']): ProtocolAnswer {
  return { status, headers: {}, error: { code, message, ...(data === undefined ? {} : { data }) } }
}
