import {
  Client,
  ProtocolError,
  ProtocolErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Fault } from '@postern/core'

export interface Service {
  /** Of the MCP endpoint, with its path. */
  readonly url: URL
  readonly key: string
}

/** What came back, as the protocol carries it. */
export interface CallResult {
  readonly isError: boolean
  readonly structured: Readonly<Record<string, unknown>> | null
  readonly texts: readonly string[]
  /** The whole result, for programs. */
  readonly raw: Readonly<Record<string, unknown>>
}

export type CallTool = (name: string, args: Readonly<Record<string, unknown>>) => Promise<CallResult>

/**
 * Connects as any agent would, hands `use` a way to call tools, and disconnects.
 * @throws unauthenticated; internal_error (reason `service_unreachable` or `service_refused`).
 */
export async function withService<T>(service: Service, use: (call: CallTool) => Promise<T>): Promise<T> {
  const client = new Client(
    { name: 'postern-cli', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  const transport = new StreamableHTTPClientTransport(service.url, {
    requestInit: { headers: { Authorization: `Bearer ${service.key}` } },
  })
  try {
    await client.connect(transport)
    return await use((name, args) => callOnce(client, name, args))
  } catch (error) {
    throw serviceFault(error, service.url)
  } finally {
    await client.close().catch(() => undefined)
  }
}

async function callOnce(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallResult> {
  const result = await client.callTool({ name, arguments: { ...args } })
  const texts = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return {
    isError: result.isError === true,
    structured: isRecord(result.structuredContent) ? result.structuredContent : null,
    texts,
    raw: { ...result },
  }
}

/** Says what the operator can do: the client library's own words are about sockets and status codes. */
function serviceFault(error: unknown, url: URL): unknown {
  if (error instanceof Fault || !(error instanceof Error)) return error
  const internal = causeOf(error)
  const status = statusOf(error)
  if (status === 401) {
    return new Fault('unauthenticated', {
      public:
        'The service does not know this key: it is mistyped, revoked, expired, or made on another data folder.',
      internal,
    })
  }
  if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams) {
    return new Fault('unknown_tool', {
      public: `The service at ${url.origin} has no tool of that name. inbox_list is one that any key may call.`,
      internal,
    })
  }
  if (
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|EHOSTUNREACH|ETIMEDOUT|fetch failed/.test(chainOf(error))
  ) {
    return new Fault('internal_error', {
      public: `No service answers at ${url.origin}. Start it with npm start, or name another one with --url or POSTERN_URL.`,
      internal,
      details: { reason: 'service_unreachable' },
    })
  }
  return new Fault('internal_error', {
    public: `The service at ${url.origin} refused the call. If this is not a Postern, check the URL.`,
    internal,
    details: { reason: 'service_refused', ...(status === null ? {} : { http_status: status }) },
  })
}

/** All that was said, from the outside in. */
function chainOf(error: Error): string {
  const code = 'code' in error ? ` ${String(error.code)}` : ''
  const own = `${error.message}${code}`
  return error.cause instanceof Error ? `${own}: ${chainOf(error.cause)}` : own
}

/** The innermost cause: what stands around it are the steps of the client library. */
function causeOf(error: Error): string {
  if (error.cause instanceof Error) return causeOf(error.cause)
  const code = 'code' in error && !error.message.includes(String(error.code)) ? ` ${String(error.code)}` : ''
  return `${error.message}${code}`
}

/** The status may be wrapped by whatever the client was doing when it came. */
function statusOf(error: unknown): number | null {
  if (error instanceof SdkHttpError) return error.status
  return error instanceof Error ? statusOf(error.cause) : null
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
