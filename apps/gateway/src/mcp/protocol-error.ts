import { faultCodes, type FaultCode } from '@postern/core'
import { rpcCodes, type RpcError } from './json-rpc.ts'

/** How a fault leaves through the HTTP door: a status, a JSON-RPC error, and the headers that go with it. */
export interface ProtocolAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly error: RpcError
}

/** What both a `Fault` and the edge half of a tool's outcome can say. */
export interface EdgeFacts {
  readonly code: FaultCode
  /** For the agent; our own words. */
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

const edgeCodes: Partial<Record<FaultCode, number>> = {
  unauthenticated: rpcCodes.unauthenticated,
  insufficient_scope: rpcCodes.insufficientScope,
  rate_limit_exceeded: rpcCodes.tooManyCalls,
  service_busy: rpcCodes.serviceBusy,
  unknown_tool: rpcCodes.invalidParams,
  invalid_arguments: rpcCodes.invalidRequest,
  message_too_large: rpcCodes.invalidRequest,
}

/**
 * Faults at protocol level. `Retry-After` and `data.retry_after` are one number, whole seconds and at
 * least one: a client that waits zero seconds has not been told anything.
 */
export function protocolError({ code, message, data }: EdgeFacts): ProtocolAnswer {
  const { http } = faultCodes[code]
  const retryAfter = retryAfterSeconds(code, data)
  return {
    status: http,
    headers: retryAfter === null ? {} : { 'retry-after': String(retryAfter) },
    error: {
      code: edgeCodes[code] ?? rpcCodes.internalError,
      message,
      data: { error_code: code, ...data, ...(retryAfter === null ? {} : { retry_after: retryAfter }) },
    },
  }
}

function retryAfterSeconds(code: FaultCode, data: Readonly<Record<string, unknown>>): number | null {
  if (code !== 'rate_limit_exceeded' && code !== 'service_busy') return null
  const given = data['retry_after']
  return typeof given === 'number' && given > 1 ? Math.ceil(given) : 1
}
