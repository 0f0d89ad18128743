import type { EdgeFault } from '@postern/tools'
import { rpcErrorBody, type RpcId } from './json-rpc.ts'
import { protocolError } from './protocol-error.ts'

/**
 * The HTTP answer to a call whose result alone cannot say what happened, or null when it can. A key that lacks a
 * scope keeps its readable result, since it cannot step up; an unknown tool is a JSON-RPC error on 200.
 */
export function challenge(fault: EdgeFault, id: RpcId): Response | null {
  if (fault.code !== 'rate_limit_exceeded' && fault.code !== 'service_busy') return null
  const { status, headers, error } = protocolError(fault)
  return Response.json(rpcErrorBody(id, error), { status, headers })
}
