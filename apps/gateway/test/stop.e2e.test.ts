import assert from 'node:assert/strict'
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { post, toolCall, type RpcAnswer } from './support/rpc.ts'

const script = fileURLToPath(new URL('support/start-fake.ts', import.meta.url))

interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly address: string
  /** Lines of standard output after the address. */
  readonly said: string[]
  readonly exited: Promise<readonly [number | null]>
  call(args: object): Promise<RpcAnswer>
  /** Resolves when that line has been said. */
  until(line: string): Promise<void>
}

describe('a service that is told to stop', () => {
  it('lets calls finish, then closes its parts and ends with 0', async (t) => {
    const running = await start(t)
    const slow = running.call({ ms: 1_500 })
    await running.until('started')
    running.child.kill('SIGTERM')
    const answer = await slow
    assert.deepEqual(answer.body?.result?.['structuredContent'], { done: true })
    assert.deepEqual(await running.exited, [0])
    assert.deepEqual(running.said, ['started', 'finished', 'parts closed'])
  })

  it('takes no new connection meanwhile', async (t) => {
    const running = await start(t)
    const slow = running.call({ ms: 1_500 })
    await running.until('started')
    running.child.kill('SIGINT')
    await refusesConnections(running.address)
    assert.equal((await slow).status, 200)
    assert.deepEqual(await running.exited, [0])
  })

  it('still answers what comes on a connection that is open', async (t) => {
    const running = await start(t)
    const { port } = new URL(running.address)
    const client = connect(Number(port), '127.0.0.1')
    const request = (name: string, args: object): string => {
      const body = JSON.stringify(toolCall(name, args))
      const head = [
        'POST /mcp HTTP/1.1',
        `Host: 127.0.0.1:${port}`,
        'X-API-Key: k',
        'Content-Type: application/json',
      ]
      return [...head, `Content-Length: ${String(body.length)}`, '', body].join('\r\n')
    }
    client.write(request('slow', { ms: 1_000 }))
    await running.until('started')
    running.child.kill('SIGTERM')
    await delay(200)
    client.write(request('echo', {}))
    let heard = ''
    for await (const chunk of client) heard += String(chunk)
    assert.deepEqual(heard.match(/^HTTP\/1\.1 \d+/gm), ['HTTP/1.1 200', 'HTTP/1.1 200'])
    assert.deepEqual(await running.exited, [0])
  })

  it('does not wait for connections that only keep alive', async (t) => {
    const running = await start(t)
    await post(`${running.address}/mcp`, toolCall('echo'), { 'x-api-key': 'k' })
    const startedAt = performance.now()
    running.child.kill('SIGTERM')
    assert.deepEqual(await running.exited, [0])
    assert.ok(performance.now() - startedAt < 20_000)
  })

  it('waits for a call whose client is gone', async (t) => {
    const running = await start(t)
    const controller = new AbortController()
    const gone = post(
      `${running.address}/mcp`,
      toolCall('slow', { ms: 1_500 }),
      { 'x-api-key': 'k' },
      controller.signal,
    )
    await running.until('started')
    controller.abort()
    await assert.rejects(gone)
    await running.until('aborted')
    running.child.kill('SIGTERM')
    assert.deepEqual(await running.exited, [0])
    assert.deepEqual(running.said, ['started', 'aborted', 'finished', 'parts closed'])
  })

  it('cuts off what has not finished in the configured time', async (t) => {
    const running = await start(t, { POSTERN_SHUTDOWN_SECONDS: '1' })
    const endless = running.call({ ms: 60_000 })
    const cut = assert.rejects(endless)
    await running.until('started')
    running.child.kill('SIGTERM')
    await cut
    assert.deepEqual(await running.exited, [0])
    assert.ok(running.said.includes('parts closed'))
  })

  it('ends with 1 when its database is lost, after what runs has finished', async (t) => {
    const running = await start(t)
    const slow = running.call({ ms: 500 })
    await running.until('started')
    running.child.stdin.end()
    assert.equal((await slow).status, 200)
    assert.deepEqual(await running.exited, [1])
    assert.deepEqual(running.said, ['started', 'finished', 'parts closed'])
  })

  it('ends at once at the second signal', async (t) => {
    const running = await start(t)
    const cut = assert.rejects(running.call({ ms: 60_000 }))
    await running.until('started')
    running.child.kill('SIGTERM')
    await delay(300)
    running.child.kill('SIGTERM')
    assert.deepEqual(await running.exited, [1])
    await cut
  })
})

describe('health', () => {
  it('is there for whoever asks, by any name, without a key', async (t) => {
    const { address } = await start(t)
    for (const path of ['/health', '/ready']) {
      const response = await fetch(`${address}${path}`)
      assert.equal(response.status, 200)
    }
    assert.deepEqual(await (await fetch(`${address}/ready`)).json(), {
      status: 'ready',
      checks: { database: 'ok' },
    })
  })

  it('the numbers of the parts are among the metrics', async (t) => {
    const { address } = await start(t)
    const text = await (await fetch(`${address}/metrics`)).text()
    assert.match(text, /^postern_test_losses 3$/m)
    assert.match(text, /^postern_requests_in_flight 0$/m)
  })

  it('a port that is taken is said with the settings that chose it', async (t) => {
    const { address } = await start(t)
    const second = spawn(process.execPath, [script, JSON.stringify({ POSTERN_PORT: new URL(address).port })])
    let errors = ''
    second.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    const [code] = (await once(second, 'exit')) as [number | null]
    assert.notEqual(code, 0)
    assert.match(errors, /EADDRINUSE/)
  })
})

async function refusesConnections(address: string): Promise<void> {
  for (let tried = 0; tried < 500; tried += 1) {
    const isOpen = await fetch(`${address}/health`, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    )
    if (!isOpen) return
    await delay(10)
  }
  assert.fail('it still takes connections')
}

async function start(
  t: { after(done: () => void): void },
  environment: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const child = spawn(process.execPath, [script, JSON.stringify({ POSTERN_PORT: '0', ...environment })])
  t.after(() => {
    child.kill('SIGKILL')
  })
  const exited = once(child, 'exit').then(([code]) => [code as number | null] as const)
  const lines = createInterface({ input: child.stdout })
  const [address] = (await once(lines, 'line')) as [string]
  const said: string[] = []
  lines.on('line', (line: string) => said.push(line))
  const call = (args: object): Promise<RpcAnswer> =>
    post(`${address}/mcp`, toolCall('slow', args), { 'x-api-key': 'k' })
  const until = async (line: string): Promise<void> => {
    for (let waited = 0; !said.includes(line); waited += 10) {
      assert.ok(waited < 20_000, `it never said ${line}`)
      await delay(10)
    }
  }
  return { child, address, said, exited, call, until }
}
