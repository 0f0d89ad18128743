/** What a tool said: an answer, or an error object. */
export interface ToolAnswer {
  readonly answer: Readonly<Record<string, unknown>> | null
  readonly error: Readonly<Record<string, unknown>> | null
}

let id = 0

/** One `tools/call` as a client of revision 2025-11-25 makes it. Throws where no answer comes. */
export async function callTool(
  url: string,
  key: string,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      authorization: `Bearer ${key}`,
      // A connection that the service closed when it was killed is not to be used again.
      connection: 'close',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: ++id,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`HTTP ${String(response.status)}: ${text.slice(0, 300)}`)
  const { result } = JSON.parse(text) as {
    result: {
      structuredContent?: Record<string, unknown>
      content: { text: string }[]
      isError?: boolean
    }
  }
  if (result.isError !== true) return { answer: result.structuredContent ?? {}, error: null }
  return { answer: null, error: JSON.parse(result.content[0]?.text ?? '{}') as Record<string, unknown> }
}
