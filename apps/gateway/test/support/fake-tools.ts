import { Fault } from '@postern/core'
import type { EdgeFault, ListedTool, ToolCall, ToolOutcome, Tools } from '@postern/tools'

type Handler = (args: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<ToolOutcome> | ToolOutcome

/** Tools by name, for what the gateway does around a call; what real tools do is tested with them. */
export function fakeTools(handlers: Readonly<Record<string, Handler>> = {}): Tools {
  const all: Readonly<Record<string, Handler>> = { echo: (args) => success('echo', { ...args }), ...handlers }
  return {
    instructions: 'Fake tools.',
    listTools: (_principal, { toolsets, isReadOnly }) =>
      Object.keys(all).map((name) => listed(name, { toolsets: toolsets ?? [], isReadOnly })),
    callTool: async (call, name, args) => {
      const handler = Object.hasOwn(all, name) ? all[name] : undefined
      if (handler === undefined)
        return failure('unknown_tool', new Fault('unknown_tool', { public: 'No such tool.' }))
      return handler((args ?? {}) as Record<string, unknown>, call)
    },
  }
}

export function success(operation: string, value: Readonly<Record<string, unknown>>): ToolOutcome {
  return {
    result: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value },
    edge: null,
    operation,
    inboxId: null,
    provider: null,
    fault: null,
  }
}

/** As the wall does it: an error result, and the edge half for the codes that have one. */
export function failure(operation: string, fault: Fault): ToolOutcome {
  const { code, public: message, details, retryAfterSeconds } = fault
  const data = {
    error_code: code,
    ...details,
    ...(retryAfterSeconds === null ? {} : { retry_after: retryAfterSeconds }),
  }
  return {
    result: {
      content: [{ type: 'text', text: JSON.stringify({ status: 'error', message, ...data }) }],
      isError: true,
      _meta: { 'postern/error': data },
    },
    edge: edgeCodes.has(code) ? { code: code as EdgeFault['code'], message, data } : null,
    operation,
    inboxId: null,
    provider: null,
    fault,
  }
}

const edgeCodes: ReadonlySet<string> = new Set<EdgeFault['code']>([
  'unknown_tool',
  'insufficient_scope',
  'rate_limit_exceeded',
  'service_busy',
])

function listed(name: string, options: Readonly<Record<string, unknown>>): ListedTool {
  return {
    name,
    title: name,
    description: `Options seen: ${JSON.stringify(options)}`,
    inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
    outputSchema: { type: 'object', properties: {}, required: [], additionalProperties: true },
    annotations: {
      title: name,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  }
}
