import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { Tools } from '@postern/tools'
import { fakeTools, success } from './support/fake-tools.ts'
import { listen, principal, testKey, type Listener, type ListenerOptions } from './support/listener.ts'
import { post, read, toolCall, type RpcAnswer } from './support/rpc.ts'

const megabyte = 1024 * 1024

describe('how often a key may call', () => {
  it('check 7: the 101st call in a minute is 429, another key on the same address is unaffected', async (t) => {
    const keys = new Map([
      ['pst_live_a', principal()],
      ['pst_live_b', principal()],
    ])
    const { url } = await started(t, { keys })
    const call = (key: string): Promise<RpcAnswer> => post(url, toolCall('echo'), { 'x-api-key': key })
    for (let made = 0; made < 100; made += 1) assert.equal((await call('pst_live_a')).status, 200)
    const refused = await call('pst_live_a')
    assert.deepEqual([refused.status, refused.body?.error?.code], [429, -32_003])
    const { error_code, window, retry_after } = refused.body?.error?.data ?? {}
    assert.deepEqual({ error_code, window }, { error_code: 'rate_limit_exceeded', window: 'minute' })
    assert.equal(refused.headers.get('retry-after'), String(retry_after))
    assert.ok(Number(retry_after) >= 1 && Number(retry_after) <= 60)
    assert.equal((await call('pst_live_b')).status, 200)
  })

  it('handshakes and lists do not use up calls, and are bounded all the same', async (t) => {
    const rateLimits = { minute: 2, hour: 100, day: 100, tenantMinute: 100 }
    const { url } = await started(t, { impliedKey: testKey, deps: { rateLimits } })
    const list = (): Promise<RpcAnswer> => post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    for (let made = 0; made < 6; made += 1) assert.equal((await list()).status, 200)
    assert.equal((await list()).status, 429)
    assert.equal((await post(url, toolCall('echo'))).status, 200)
  })

  for (const [window, limits] of [
    ['hour', { minute: 9, hour: 1, day: 9, tenantMinute: 9 }],
    ['day', { minute: 9, hour: 9, day: 1, tenantMinute: 9 }],
    ['tenant_minute', { minute: 9, hour: 9, day: 9, tenantMinute: 1 }],
  ] as const) {
    it(`the ${window} window is named when it is the one that is full`, async (t) => {
      const { url } = await started(t, { impliedKey: testKey, deps: { rateLimits: limits } })
      assert.equal((await post(url, toolCall('echo'))).status, 200)
      const refused = await post(url, toolCall('echo'))
      assert.equal(refused.body?.error?.data?.['window'], window)
    })
  }

  it('the keys of a tenant share its limit, and another tenant does not', async (t) => {
    const keys = new Map([
      ['pst_live_a1', principal({ tenantId: 'a' })],
      ['pst_live_a2', principal({ tenantId: 'a' })],
      ['pst_live_b1', principal({ tenantId: 'b' })],
    ])
    const rateLimits = { minute: 9, hour: 9, day: 9, tenantMinute: 1 }
    const { url } = await started(t, { keys, deps: { rateLimits } })
    const call = async (key: string): Promise<number> =>
      (await post(url, toolCall('echo'), { 'x-api-key': key })).status
    assert.deepEqual(
      [await call('pst_live_a1'), await call('pst_live_a2'), await call('pst_live_b1')],
      [200, 429, 200],
    )
  })

  it('a tenant of the free plan makes 60 calls a minute with all its keys', async (t) => {
    const keys = new Map([
      ['pst_live_1', principal({ tenantId: 'free', plan: 'free' })],
      ['pst_live_2', principal({ tenantId: 'free', plan: 'free' })],
    ])
    const { url } = await started(t, { keys })
    const call = (key: string): Promise<RpcAnswer> => post(url, toolCall('echo'), { 'x-api-key': key })
    for (let made = 0; made < 30; made += 1) {
      assert.equal((await call('pst_live_1')).status, 200)
      assert.equal((await call('pst_live_2')).status, 200)
    }
    assert.equal((await call('pst_live_1')).body?.error?.data?.['window'], 'tenant_minute')
  })

  it('a batch cannot be used to make more calls than are counted', async (t) => {
    const { url } = await started(t, { impliedKey: testKey })
    const answer = await post(url, [toolCall('echo'), toolCall('echo')])
    assert.deepEqual([answer.status, answer.body?.error?.code], [400, -32_600])
  })
})

describe('how much may run at once', () => {
  it('a tenant beyond its share is told to wait, and another tenant is served', async (t) => {
    const keys = new Map([
      ['pst_live_a', principal()],
      ['pst_live_b', principal()],
    ])
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const tools = waitingTools(entered, gate)
    const { url } = await started(t, { keys, tools, inFlight: { total: 9, perTenant: 1 } })
    const waiting = post(url, toolCall('wait'), { 'x-api-key': 'pst_live_a' })
    await entered.promise
    const refused = await post(url, toolCall('echo'), { 'x-api-key': 'pst_live_a' })
    assert.deepEqual([refused.status, refused.body?.error?.data?.['window']], [429, 'concurrency'])
    assert.equal((await post(url, toolCall('echo'), { 'x-api-key': 'pst_live_b' })).status, 200)
    gate.resolve()
    assert.equal((await waiting).status, 200)
    assert.equal((await post(url, toolCall('echo'), { 'x-api-key': 'pst_live_a' })).status, 200)
  })

  it('a full house answers 503 with Retry-After instead of growing', async (t) => {
    const gate = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    const tools = waitingTools(entered, gate)
    const { url } = await started(t, { impliedKey: testKey, tools, inFlight: { total: 1, perTenant: 1_000 } })
    const waiting = post(url, toolCall('wait'))
    await entered.promise
    const refused = await post(url, toolCall('echo'))
    assert.deepEqual([refused.status, refused.body?.error?.code], [503, -32_005])
    assert.equal(refused.headers.get('retry-after'), String(refused.body?.error?.data?.['retry_after']))
    gate.resolve()
    assert.equal((await waiting).status, 200)
  })
})

describe('how large a request may be', () => {
  const composing = new Map([[testKey, principal({ scopes: ['manage:drafts'] })]])
  const reading = new Map([[testKey, principal({ scopes: ['read:email'] })]])
  const sized = (bytes: number): string => JSON.stringify(toolCall('echo', { text: 'x'.repeat(bytes) }))

  it('a key that composes mail may send 15 MiB', async (t) => {
    const { url } = await started(t, { keys: composing, impliedKey: testKey })
    assert.equal((await post(url, sized(15 * megabyte))).status, 200)
  })

  it('beyond 16 MiB every key gets 413 and -32600', async (t) => {
    const { url } = await started(t, { keys: composing, impliedKey: testKey })
    expectTooLarge(await post(url, sized(16 * megabyte)))
  })

  it('beyond 16 MiB without an announced length the answer is the same', async (t) => {
    const { url } = await started(t, { keys: composing, impliedKey: testKey })
    expectTooLarge(await postChunked(url, sized(17 * megabyte)))
  })

  it('a key that composes no mail is refused above 1 MiB by Content-Length', async (t) => {
    const { url } = await started(t, { keys: reading, impliedKey: testKey })
    assert.equal((await post(url, sized(megabyte - 1_000))).status, 200)
    expectTooLarge(await post(url, sized(megabyte)))
  })

  it('a body of more or deeper values than any call takes is refused before it is parsed', async (t) => {
    const { url } = await started(t, { keys: composing, impliedKey: testKey })
    const within = toolCall('echo', {
      ids: Array.from({ length: 5_000 }, (_, index) => `a "quoted" \\ ${String(index)}`),
    })
    assert.equal((await post(url, within)).status, 200)
    const many = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`k${String(index)}`, 1]))
    const bodies = [
      '['.repeat(7_000_000),
      `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
      JSON.stringify(toolCall('echo', many)),
    ]
    for (const body of bodies) {
      const startedAt = performance.now()
      const answer = await post(url, body)
      assert.deepEqual([answer.status, answer.body?.error?.code], [400, -32_600])
      assert.ok(performance.now() - startedAt < 2_000)
    }
    assert.equal((await post(url, '{"a":"[[[[[[')).body?.error?.code, -32_700)
  })

  it('leaving the length out does not get more through', async (t) => {
    const { url } = await started(t, { keys: reading, impliedKey: testKey })
    assert.equal((await postChunked(url, sized(megabyte - 1_000))).status, 200)
    expectTooLarge(await postChunked(url, sized(2 * megabyte)))
  })
})

async function postChunked(url: string, text: string): Promise<RpcAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Readable.toWeb(Readable.from(chunksOf(text))),
    duplex: 'half',
  })
  return read(response)
}

function* chunksOf(text: string): Generator<Buffer> {
  for (let start = 0; start < text.length; start += 65_536)
    yield Buffer.from(text.slice(start, start + 65_536))
}

function expectTooLarge(answer: RpcAnswer): void {
  assert.deepEqual([answer.status, answer.body?.error?.code], [413, -32_600], answer.text.slice(0, 300))
}

/** A tool `wait` that says when it was entered and ends when the gate opens. */
function waitingTools(entered: PromiseWithResolvers<void>, gate: PromiseWithResolvers<void>): Tools {
  return fakeTools({
    wait: async () => {
      entered.resolve()
      await gate.promise
      return success('wait', {})
    },
  })
}

async function started(
  t: { after(done: () => Promise<void>): void },
  options: ListenerOptions,
): Promise<Listener> {
  const listener = await listen(options)
  t.after(() => listener.close())
  return listener
}
