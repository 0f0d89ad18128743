import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let id = 0

/** What `tools/call` answered. */
export interface CallAnswer {
  readonly structuredContent?: Record<string, unknown>
  readonly content: readonly { readonly text: string }[]
  readonly isError?: boolean
}

/** One `tools/call` over a warm connection, as a client of revision 2025-11-25 sends it. Throws unless it succeeds. */
export async function callTool(
  url: string,
  key: string,
  name: string,
  args: Record<string, unknown>,
): Promise<CallAnswer> {
  const { status, text } = await post(url, key, {
    jsonrpc: '2.0',
    id: ++id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  if (status !== 200) throw new Error(`HTTP ${status}: ${text.slice(0, 300)}`)
  const answer = (JSON.parse(text) as { result: CallAnswer }).result
  if (answer.isError === true) throw new Error(answer.content[0]?.text)
  return answer
}

/** The tools as listed to this key. */
export async function listTools(url: string, key: string): Promise<unknown> {
  const { text } = await post(url, key, { jsonrpc: '2.0', id: ++id, method: 'tools/list', params: {} })
  return (JSON.parse(text) as { result: { tools: unknown } }).result.tools
}

function post(
  url: string,
  key: string,
  body: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const payload = JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${key}`,
  }
  const sent = request(`${url}/mcp`, { method: 'POST', agent, headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
    )
    response.on('error', reject)
  })
  sent.on('error', reject)
  sent.end(payload)
  return promise
}

/** Calls per second that `workers` loops reach together in `seconds`, after a warm-up. */
export async function callsPerSecond(
  call: () => Promise<unknown>,
  workers: number,
  seconds: number,
): Promise<number> {
  const loop = async (until: number): Promise<number> => {
    let done = 0
    while (performance.now() < until) {
      await call()
      done += 1
    }
    return done
  }
  const runFor = async (duration: number): Promise<number> => {
    const until = performance.now() + duration * 1_000
    const counts = await Promise.all(Array.from({ length: workers }, () => loop(until)))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  await runFor(2)
  return (await runFor(seconds)) / seconds
}
