import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { listen, testKey, type Listener } from './support/listener.ts'
import { toolCall } from './support/rpc.ts'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

describe('which names the service answers to', () => {
  let listener: Listener
  let port: string
  before(async () => {
    listener = await listen({ impliedKey: testKey })
    port = new URL(listener.url).port
  })
  after(() => listener.close())

  const call = (headers: Readonly<Record<string, string>>, method = 'POST'): Promise<Answer> =>
    send(listener.url, method, headers)

  it('the listed host is served, in any case', async () => {
    assert.equal((await call({ host: 'mcp.example.com' })).status, 200)
    assert.equal((await call({ host: 'MCP.Example.com' })).status, 200)
  })

  it('loopback names are served with the port that was dialled', async () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      assert.equal((await call({ host: `${name}:${port}` })).status, 200)
    }
  })

  it('a host that is not listed is 403 in plain text, so a rebound name reaches nothing', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'mcp.example.com.evil.example',
      'mcp.example.com.',
    ]) {
      const answer = await call({ host })
      assert.equal(answer.status, 403, host)
      assert.match(String(answer.headers['content-type']), /^text\/plain/)
    }
  })

  it('the port counts: another one is another service', async () => {
    assert.equal((await call({ host: 'mcp.example.com:8443' })).status, 403)
    assert.equal((await call({ host: 'localhost' })).status, 403)
    assert.equal((await call({ host: 'localhost:1' })).status, 403)
  })

  it('listed origins, our own and a missing one are served', async () => {
    const host = 'mcp.example.com'
    for (const origin of ['https://claude.ai', 'https://mcp.example.com', `http://localhost:${port}`]) {
      const answer = await call({ host, origin })
      assert.equal(answer.status, 200, origin)
      assert.equal(answer.headers['access-control-allow-origin'], origin)
      assert.match(
        String(answer.headers['access-control-expose-headers']),
        /WWW-Authenticate.*Mcp-Session-Id/,
      )
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
    assert.equal((await call({ host })).headers['access-control-allow-origin'], undefined)
  })

  it('any other origin is 403, with the key too', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://claude.ai',
      'https://claude.ai.evil.example',
      'http://localhost:1',
      '',
    ]) {
      const answer = await call({ host: 'mcp.example.com', origin })
      assert.equal(answer.status, 403, origin)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
    }
  })

  it('a preflight of a listed origin is answered without a key, of another refused', async () => {
    const wanted = { host: 'mcp.example.com', 'access-control-request-method': 'POST' }
    const answer = await call({ ...wanted, origin: 'https://claude.ai' }, 'OPTIONS')
    assert.equal(answer.status, 204)
    assert.match(
      String(answer.headers['access-control-allow-headers']),
      /Authorization, X-API-Key.*Mcp-Protocol-Version/,
    )
    assert.equal((await call({ ...wanted, origin: 'https://evil.example' }, 'OPTIONS')).status, 403)
  })

  it('a page of a listed origin can read why its request failed', async () => {
    const answer = await call({
      host: 'mcp.example.com',
      origin: 'https://claude.ai',
      authorization: 'Bearer pst_live_no',
    })
    assert.equal(answer.status, 401)
    assert.equal(answer.headers['access-control-allow-origin'], 'https://claude.ai')
  })

  it('every answer tells browsers to do nothing with it', async () => {
    for (const answer of [await call({ host: 'mcp.example.com' }), await call({ host: 'evil.example' })]) {
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/)
    }
  })

  it('metrics are there for this machine and absent for a proxy of the world', async () => {
    const url = `${listener.origin}/metrics`
    const local = await send(url, 'GET', { host: `localhost:${port}` })
    assert.equal(local.status, 200)
    assert.match(local.text, /postern_http_answers_total/)
    assert.equal((await send(url, 'GET', { host: 'mcp.example.com' })).status, 404)
    assert.equal(
      (await send(url, 'GET', { host: 'localhost', 'x-forwarded-for': '203.0.113.9' })).status,
      404,
    )
  })

  it('metrics carry no ids', async () => {
    const { text } = await send(`${listener.origin}/metrics`, 'GET', { host: `localhost:${port}` })
    assert.match(text, /postern_tool_calls_total\{operation="echo",outcome="ok",provider="none"\} \d/)
    assert.doesNotMatch(text, /tenant_\d|key_\d|req_|pst_/)
  })
})

/** Host and Origin exactly as given; `fetch` would not send them. */
function send(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const body = method === 'POST' ? JSON.stringify(toolCall('echo')) : ''
  const sent = request(
    url,
    {
      method,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
        ...headers,
      },
    },
    (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    },
  )
  sent.on('error', reject)
  sent.end(body)
  return promise
}
