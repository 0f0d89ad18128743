/** JSON-RPC over HTTP by hand, for requests that no client library would make. */
export interface RpcAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body, or null where it is not JSON. */
  readonly body: RpcBody | null
}

export interface RpcBody {
  readonly jsonrpc?: string
  readonly id?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: {
    readonly code: number
    readonly message: string
    readonly data?: Readonly<Record<string, unknown>>
  }
}

export type RawHeaders = Readonly<Record<string, string>>

export const modern = '2026-07-28'
export const bothTypes = 'application/json, text/event-stream'

/** The envelope every request of the modern era carries. */
export function envelope(version: string = modern): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

export function toolCall(name: string, args: unknown = {}, meta?: Readonly<Record<string, unknown>>): object {
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params }
}

export function modernHeaders(method: string, name?: string): RawHeaders {
  return {
    accept: bothTypes,
    'mcp-protocol-version': modern,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  }
}

export async function post(
  url: string,
  body: unknown,
  headers: RawHeaders = {},
  signal: AbortSignal | null = null,
): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: bothTypes, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  })
  return read(response)
}

export async function read(response: Response): Promise<RpcAnswer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: parse(text) }
}

function parse(text: string): RpcBody | null {
  try {
    return JSON.parse(text) as RpcBody
  } catch {
    return null
  }
}
