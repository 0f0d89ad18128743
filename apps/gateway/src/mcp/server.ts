import type { Principal } from '@postern/access'
import { assertNever, toFault, type Log } from '@postern/core'
import type { EdgeFault, ListedTool, ListOptions, Progress, ToolOutcome, Tools } from '@postern/tools'
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type Notification,
  type Tool,
} from '@modelcontextprotocol/server'
import manifest from '../../package.json' with { type: 'json' }
import type { InFlight } from '../in-flight.ts'
import type { Metrics } from '../metrics.ts'
import { legacyRevisions } from './revisions.ts'

/** One MCP message of one caller, and the slot in which its call leaves what only the HTTP answer can say. */
export interface McpRequest {
  readonly principal: Principal
  readonly requestId: string
  readonly signal: AbortSignal
  readonly log: Log
  readonly options: ListOptions
  /** Whether its revision knows links to files; what they lead to stands in the text all the same. */
  readonly takesLinks: boolean
  /** The answer may be a stream, so that progress can be told before it is complete. */
  canStream: boolean
  edge: EdgeFault | null
  /** The call wrote its own line, maybe long after its answer began. */
  readonly onLogged: () => void
}

/** Makes the server of one request. Cheap: everything dear (schemas, texts) is made once and shared. */
export type MakeServer = (request: McpRequest) => Server

export interface ServerDeps {
  readonly tools: Tools
  readonly metrics: Metrics
  readonly inFlight: InFlight
}

/** Five minutes: as long as a client may show a list after the owner changed the key. */
const listCache = { ttlMs: 300_000, cacheScope: 'private' } as const

const serverInfo = { name: 'postern', title: 'Postern', version: manifest.version }

/**
 * `Server` with two handlers, not the SDK's tool registry: the registry would validate with schemas of its own (and
 * drop the names our pipeline repairs or refuses), show agents the text of any thrown error, and refuse tools that
 * are callable without being listed. Arguments and results are validated in `callTool`.
 */
export function createServerFactory(deps: ServerDeps): MakeServer {
  const options = {
    capabilities: { tools: {} },
    instructions: deps.tools.instructions,
    supportedProtocolVersions: [...legacyRevisions],
    cacheHints: { 'tools/list': listCache, 'server/discover': listCache },
  }
  return (request) => {
    const server = new Server(serverInfo, options)
    server.setRequestHandler('tools/list', () =>
      guarded(request.log, () => ({
        tools: asSdkTools(deps.tools.listTools(request.principal, request.options)),
      })),
    )
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const progress = progressOf(request, params._meta?.progressToken, (told) => mcpReq.notify(told))
      const { edge, result } = await guarded(request.log, () => serveCall(deps, request, params, progress))
      request.edge = edge
      if (edge?.code === 'unknown_tool') {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, edge.message, edge.data)
      }
      return asSdkResult(request.takesLinks ? result : withoutLinks(result))
    })
    return server
  }
}

type Notify = (notification: Notification) => Promise<void>

/**
 * Tells progress to a client that gave a token for it, over an answer that can stream. What cannot be told any more is
 * nobody's failure: the call goes on, or its signal ends it.
 */
function progressOf(
  { canStream }: McpRequest,
  progressToken: string | number | undefined,
  notify: Notify,
): Progress | null {
  if (!canStream || progressToken === undefined) return null
  return (progress, total) =>
    void Promise.allSettled([
      notify({ method: 'notifications/progress', params: { progressToken, progress, total } }),
    ])
}

/** One call and its one log line. The work is followed to its end even when the client is gone before it. */
async function serveCall(
  { tools, metrics, inFlight }: ServerDeps,
  request: McpRequest,
  { name, arguments: args }: { name: string; arguments?: Record<string, unknown> | undefined },
  progress: Progress | null,
): Promise<ToolOutcome> {
  const { principal, requestId, signal, log, options } = request
  const startedAt = performance.now()
  const call = { principal, requestId, signal, log, isReadOnly: options.isReadOnly, progress }
  const outcome = await inFlight.track(tools.callTool(call, name, args ?? {}))
  record(request, metrics, outcome, performance.now() - startedAt)
  return outcome
}

/** The SDK sends agents the text of whatever is thrown. Nothing should be; if it is, they get an id. */
async function guarded<T>(log: Log, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, reference, internal } = toFault(error)
    log.error('mcp.threw', { fault_code: code, reference, ...(internal === null ? {} : { cause: internal }) })
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error', { reference })
  }
}

function record(request: McpRequest, metrics: Metrics, outcome: ToolOutcome, durationMs: number): void {
  const { operation, inboxId, provider, fault, result } = outcome
  const { log } = request
  request.onLogged()
  const isCancelled = request.signal.aborted && fault !== null
  metrics.called({
    operation,
    outcome: isCancelled ? 'cancelled' : (fault?.code ?? 'ok'),
    provider: provider ?? 'none',
    durationMs,
  })
  const isOurs = fault?.whose === 'postern' && fault.code !== 'service_busy' && !isCancelled
  log[isOurs ? 'error' : 'info']('tool.call', {
    ...(inboxId === null ? {} : { inbox_id: inboxId }),
    ...(provider === null ? {} : { provider }),
    operation,
    outcome: isCancelled ? 'cancelled' : fault === null ? 'ok' : 'failed',
    ...(fault === null ? {} : { fault_code: fault.code, reference: fault.reference }),
    ...(fault === null || fault.internal === null ? {} : { cause: fault.internal }),
    duration_ms: Math.round(durationMs),
    result_bytes: result.content.reduce((sum, content) => sum + sizeOf(content), 0),
  })
}

/** Clients of older revisions refuse a whole result for one content of a kind that they do not know. */
function withoutLinks(result: ToolOutcome['result']): ToolOutcome['result'] {
  const [text, ...files] = result.content
  return { ...result, content: [text, ...files.filter(({ type }) => type !== 'resource_link')] }
}

function sizeOf(content: ToolOutcome['result']['content'][number]): number {
  switch (content.type) {
    case 'text':
      return Buffer.byteLength(content.text)
    case 'image':
    case 'audio':
      return content.data.length
    case 'resource':
      return content.resource.blob.length
    case 'resource_link':
      return content.uri.length
    default:
      return assertNever(content)
  }
}

// The SDK's types ask for mutable arrays and for `type: 'object'` as a literal; ours are shared and deeply read-only,
// and nothing on the way to the wire writes to them.
function asSdkTools(tools: readonly ListedTool[]): Tool[] {
  return tools as unknown as Tool[]
}

function asSdkResult(result: ToolOutcome['result']): CallToolResult {
  return result as unknown as CallToolResult
}
