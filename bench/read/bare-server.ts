import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

/*
 * The least a server on the same SDK can do: a stateless POST that answers every tools/call with a constant of the
 * size that the first argument names. No key, no limiter, no database. It runs in a process of its own.
 */
const size = Number(process.argv[2] ?? 1_000)
const port = Number(process.argv[3] ?? 0)
const result = { structuredContent: { data: 'x'.repeat(Math.max(0, size / 2 - 30)) } }
const answer = {
  content: [{ type: 'text' as const, text: JSON.stringify(result.structuredContent) }],
  ...result,
}

createServer((request, response) => {
  serve(request).then(
    ({ status, headers, body }) => response.writeHead(status, headers).end(body),
    () => response.writeHead(500).end(),
  )
}).listen(port, '127.0.0.1')

async function serve(
  request: IncomingMessage,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const parsedBody: unknown = JSON.parse(await text(request))
  const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/call', () => answer)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  const asked = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: '{}' })
  const made = await transport.handleRequest(asked, { parsedBody })
  const body = await made.text()
  await server.close()
  return { status: made.status, headers: Object.fromEntries(made.headers), body }
}
