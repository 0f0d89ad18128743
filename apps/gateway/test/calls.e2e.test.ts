import { Fault } from '@postern/core'
import type { Tools } from '@postern/tools'
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { failure, fakeTools, success } from './support/fake-tools.ts'
import { listen, principal, testKey, type Listener, type ListenerOptions } from './support/listener.ts'
import { envelope, modernHeaders, post, toolCall } from './support/rpc.ts'

const legacyList = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const modernList = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } }

describe('a call', () => {
  for (const [era, meta, headers] of [
    ['legacy', undefined, {}],
    ['modern', envelope(), modernHeaders('tools/call', 'endless')],
  ] as const) {
    it(`${era}: a client that goes away aborts its call, and no other`, async (t) => {
      const aborted: string[] = []
      const running = new Map<string, PromiseWithResolvers<void>>()
      const tools = fakeTools({
        endless: async ({ who }, { signal }) => {
          signal.addEventListener('abort', () => aborted.push(String(who)))
          const gate = Promise.withResolvers<void>()
          running.set(String(who), gate)
          await gate.promise
          return success('endless', {})
        },
      })
      const { url } = await started(t, { tools, impliedKey: testKey })
      const staying = post(url, toolCall('endless', { who: 'stays' }, meta), headers)
      const leaving = request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
      })
      leaving.on('error', () => undefined)
      leaving.end(JSON.stringify(toolCall('endless', { who: 'leaves' }, meta)))
      await until(() => running.size === 2)
      leaving.destroy()
      await until(() => aborted.length > 0)
      assert.deepEqual(aborted, ['leaves'])
      for (const gate of running.values()) gate.resolve()
      assert.equal((await staying).status, 200)
      assert.deepEqual(aborted, ['leaves'])
    })
  }

  it('a finished answer does not fire the signal of its call', async (t) => {
    const signals: AbortSignal[] = []
    const tools = fakeTools({
      keep: (_args, { signal }) => {
        signals.push(signal)
        return success('keep', {})
      },
    })
    const { url } = await started(t, { tools, impliedKey: testKey })
    await post(url, toolCall('keep'), { connection: 'close' })
    await delay(50)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    )
  })

  it('notifications/cancelled stops nothing: it may reach another instance', async (t) => {
    const gate = Promise.withResolvers<void>()
    const tools = fakeTools({ slow: () => gate.promise.then(() => success('slow', { done: 1 })) })
    const { url } = await started(t, { tools, impliedKey: testKey })
    const slow = post(url, toolCall('slow'))
    await delay(20)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }
    assert.equal((await post(url, cancel)).status, 202)
    gate.resolve()
    assert.deepEqual((await slow).body?.result?.['structuredContent'], { done: 1 })
  })

  it('the result leaves as the wall made it', async (t) => {
    const value = { z: 1, a: [{ nested: null, text: '\u00e9\u{1F642}' }], untrusted_content: true }
    const { url } = await started(t, {
      tools: fakeTools({ make: () => success('make', value) }),
      impliedKey: testKey,
    })
    const expected = [{ type: 'text', text: JSON.stringify(value) }]
    const legacy = (await post(url, toolCall('make'))).body?.result
    assert.deepEqual(legacy, { content: expected, structuredContent: value })
    const answer = await post(url, toolCall('make', {}, envelope()), modernHeaders('tools/call', 'make'))
    const { content, structuredContent, resultType } = answer.body?.result ?? {}
    assert.deepEqual(
      { content, structuredContent, resultType },
      { content: expected, structuredContent: value, resultType: 'complete' },
    )
    assert.equal(JSON.stringify(structuredContent), JSON.stringify(value))
  })

  it('arguments reach the wall as they were sent, unknown names included', async (t) => {
    const args = { querry: 'x', limit: '10', toolCallId: 'n8n', deep: { a: [1, null] } }
    const { url } = await started(t, { impliedKey: testKey })
    assert.deepEqual((await post(url, toolCall('echo', args))).body?.result?.['structuredContent'], args)
    const { body } = await post(url, {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo' },
    })
    assert.deepEqual(body?.result?.['structuredContent'], {})
  })

  it('?readonly=1 reaches the wall, which is what refuses', async (t) => {
    const tools = fakeTools({ see: (_args, { isReadOnly }) => success('see', { isReadOnly }) })
    const { url } = await started(t, { tools, impliedKey: testKey })
    const seen = async (query: string): Promise<unknown> =>
      (await post(`${url}${query}`, toolCall('see'))).body?.result?.['structuredContent']
    assert.deepEqual(await seen('?readonly=1'), { isReadOnly: true })
    assert.deepEqual(await seen('?readonly=0'), { isReadOnly: false })
    assert.deepEqual(await seen(''), { isReadOnly: false })
  })

  it('leaves one log line, with ids and numbers only', async (t) => {
    const tools = fakeTools({
      fails: () =>
        failure(
          'email_read.read',
          new Fault('timeout', { public: 'Too slow.', internal: 'FETCH "secret" timed out' }),
        ),
    })
    const caller = principal({ tenantId: 'tenant_log' })
    const { url, lines } = await started(t, {
      tools,
      keys: new Map([[testKey, caller]]),
      impliedKey: testKey,
    })
    await post(url, toolCall('fails', { query: 'private words' }))
    const about = lines.filter(({ event }) => event === 'tool.call' || event === 'mcp.request')
    assert.equal(about.length, 1)
    const {
      request_id,
      tenant_id,
      principal_id,
      operation,
      outcome,
      fault_code,
      duration_ms,
      result_bytes,
      reference,
      cause,
    } = about[0] ?? {}
    assert.deepEqual(
      { tenant_id, principal_id, operation, outcome, fault_code },
      {
        tenant_id: 'tenant_log',
        principal_id: caller.principalId,
        operation: 'email_read.read',
        outcome: 'failed',
        fault_code: 'timeout',
      },
    )
    assert.match(String(request_id), /^req_/)
    assert.match(String(reference), /^ref_/)
    assert.ok(Number(duration_ms) >= 0 && Number(result_bytes) > 0)
    assert.equal(cause, 'FETCH "..." timed out')
    assert.doesNotMatch(JSON.stringify(lines), /private words/)
  })

  it('check 14: each step of a handshake leaves a line', async (t) => {
    const { url, lines } = await started(t, { impliedKey: testKey })
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params })
    await post(
      url,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { 'mcp-protocol-version': '2025-06-18' },
    )
    await post(url, legacyList, { 'mcp-protocol-version': '2025-06-18' })
    await post(url, { jsonrpc: '2.0', id: 1, method: 'made/up by caller' })
    const steps = lines.map(({ step }) => step)
    assert.deepEqual(steps, ['initialize', 'notifications/initialized', 'tools/list', 'other'])
  })
})

describe('the list of tools', () => {
  it('check 20: is there at once while a mailbox takes 30 seconds to connect', async (t) => {
    const connecting = Promise.withResolvers<void>()
    const tools = fakeTools({ connect: () => connecting.promise.then(() => success('connect', {})) })
    const { url } = await started(t, { tools, impliedKey: testKey })
    const slow = post(url, toolCall('connect'))
    await delay(20)
    const startedAt = performance.now()
    for (const [body, headers] of [
      [legacyList, {}],
      [modernList, modernHeaders('tools/list')],
      [{ ...modernList, method: 'server/discover' }, modernHeaders('server/discover')],
    ] as const) {
      assert.equal((await post(url, body, headers)).status, 200)
    }
    assert.ok(performance.now() - startedAt < 15_000)
    connecting.resolve()
    assert.equal((await slow).status, 200)
  })

  it('is the same to the byte for equal grants', async (t) => {
    const keys = new Map([
      ['pst_live_a', principal()],
      ['pst_live_b', principal()],
    ])
    const { url } = await started(t, { keys })
    const list = (key: string, body: object, headers = {}): Promise<string> =>
      post(url, body, { 'x-api-key': key, ...headers }).then(({ text }) => text)
    for (const [body, headers] of [
      [legacyList, {}],
      [modernList, modernHeaders('tools/list')],
    ] as const) {
      const [first, second, again] = [
        await list('pst_live_a', body, headers),
        await list('pst_live_b', body, headers),
        await list('pst_live_a', body, headers),
      ]
      assert.equal(first, second)
      assert.equal(first, again)
    }
  })

  it('may be kept for five minutes by the one it was made for', async (t) => {
    const { url } = await started(t, { impliedKey: testKey })
    const { body } = await post(url, modernList, modernHeaders('tools/list'))
    const { ttlMs, cacheScope } = body?.result ?? {}
    assert.deepEqual({ ttlMs, cacheScope }, { ttlMs: 300_000, cacheScope: 'private' })
  })

  it('carries no $schema, and its schemas and order are those of the tools', async (t) => {
    const tools = fakeTools({ zebra: () => success('zebra', {}), apple: () => success('apple', {}) })
    const { url } = await started(t, { tools, impliedKey: testKey })
    const expected = tools.listTools(principal(), { toolsets: null, isReadOnly: false })
    for (const [body, headers] of [
      [legacyList, {}],
      [modernList, modernHeaders('tools/list')],
    ] as const) {
      const answer = await post(url, body, headers)
      assert.deepEqual(answer.body?.result?.['tools'], expected)
      assert.doesNotMatch(answer.text, /\$schema/)
    }
  })

  it('takes toolsets and readonly from the URL', async (t) => {
    const { url } = await started(t, { impliedKey: testKey })
    const seen = async (query: string): Promise<string> => {
      const { body } = await post(`${url}${query}`, legacyList)
      const [tool] = (body?.result?.['tools'] ?? []) as { description: string }[]
      return tool?.description ?? ''
    }
    assert.match(
      await seen('?toolsets=core,%20bulk&readonly=1'),
      /\{"toolsets":\["core","bulk"\],"isReadOnly":true\}/,
    )
    assert.match(await seen(''), /\{"toolsets":\[\],"isReadOnly":false\}/)
  })

  it('a list that fails is an id and no more', async (t) => {
    const tools: Tools = {
      ...fakeTools(),
      listTools: () => {
        throw new TypeError('inner words')
      },
    }
    const { url } = await started(t, { tools, impliedKey: testKey })
    for (const [body, headers] of [
      [legacyList, {}],
      [modernList, modernHeaders('tools/list')],
    ] as const) {
      const answer = await post(url, body, headers)
      assert.equal(answer.body?.error?.code, -32_603)
      assert.doesNotMatch(answer.text, /inner words/)
    }
  })
})

async function until(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 10) {
    assert.ok(waited < 20_000, 'it did not happen in time')
    await delay(10)
  }
}

async function started(
  t: { after(done: () => Promise<void>): void },
  options: ListenerOptions,
): Promise<Listener> {
  const listener = await listen(options)
  t.after(() => listener.close())
  return listener
}
