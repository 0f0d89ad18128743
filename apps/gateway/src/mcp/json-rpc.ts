/** JSON-RPC 2.0 section 5.1, then MCP 2026-07-28, then ours. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  unsupportedRevision: -32_022,
  tooManyCalls: -32_003,
  insufficientScope: -32_004,
  serviceBusy: -32_005,
  unauthenticated: -32_010,
} as const

export type RpcId = string | number | null

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
}

export interface RpcErrorBody {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly error: RpcError
}

export function rpcErrorBody(id: RpcId, error: RpcError): RpcErrorBody {
  return { jsonrpc: '2.0', id, error }
}

/** One JSON-RPC message as far as the edge looks into it. Nothing in it has been validated. */
export interface RpcMessage {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

export function asRpcMessage(body: unknown): RpcMessage | null {
  return isRecord(body) ? body : null
}

/** The id to answer with: that of a single request, else null (JSON-RPC 2.0 section 5). */
export function rpcIdOf(body: unknown): RpcId {
  const id = asRpcMessage(body)?.id
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
