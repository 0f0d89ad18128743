import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listen, testKey, type Listener } from '../support/listener.ts'
import { bothTypes, envelope, modern, modernHeaders, post, toolCall, type RpcAnswer } from '../support/rpc.ts'

/** The table of odd requests seen in the wild, row by row, and where each correction ends. */
describe('requests as real clients send them', () => {
  let listener: Listener
  let tolerant: Listener

  before(async () => {
    listener = await listen({ impliedKey: testKey })
    tolerant = await listen({ impliedKey: testKey, deps: { toleratesModernHeader: true } })
  })
  after(async () => {
    await listener.close()
    await tolerant.close()
  })

  it('a modern request with all its headers is served', async () => {
    served(
      await post(listener.url, toolCall('echo', { a: 1 }, envelope()), modernHeaders('tools/call', 'echo')),
    )
  })

  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    it(`rule A: header ${version} beside a 2026-07-28 envelope is served as 2026-07-28`, async () => {
      const answer = await post(listener.url, toolCall('echo', {}, envelope()), {
        'mcp-protocol-version': version,
      })
      served(answer)
      assert.equal(answer.body?.result?.['resultType'], 'complete')
    })
  }

  it('rule A fills in Mcp-Method and Mcp-Name only where they are missing', async () => {
    const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'tools/call', 'mcp-name': 'other' }
    refused(await post(listener.url, toolCall('echo', {}, envelope()), headers), 400, -32_020)
  })

  it('a modern envelope without a version header is refused: the body does not always win', async () => {
    refused(await post(listener.url, toolCall('echo', {}, envelope())), 400, -32_020)
  })

  it('a header that contradicts a modern envelope otherwise is refused', async () => {
    const wrongMethod = { ...modernHeaders('tools/list', 'echo') }
    refused(await post(listener.url, toolCall('echo', {}, envelope()), wrongMethod), 400, -32_020)
  })

  it('a version header sent twice with the same value counts once', async () => {
    served(await post(listener.url, toolCall('echo'), { 'mcp-protocol-version': '2025-11-25, 2025-11-25' }))
  })

  it('a version header sent twice with different values is refused, not guessed', async () => {
    const answer = await post(listener.url, toolCall('echo'), {
      'mcp-protocol-version': '2025-11-25, 2025-06-18',
    })
    refused(answer, 400, -32_022)
  })

  for (const accept of ['application/json', 'text/event-stream', '*/*']) {
    it(`a legacy call that accepts only ${accept} is served`, async () => {
      served(await post(listener.url, toolCall('echo'), { accept, 'mcp-protocol-version': '2025-11-25' }))
    })
  }

  it('check 13: a stale Mcp-Session-Id changes nothing', async () => {
    const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': '5f0f5b7e-stale' }
    const answer = await post(listener.url, toolCall('echo', { a: 1 }), headers)
    served(answer)
    assert.equal(answer.headers.get('mcp-session-id'), null)
  })

  it('check 13: another instance serves the same call, since nothing is kept between requests', async () => {
    const body = toolCall('echo', { a: 1 })
    const [one, other] = [await post(listener.url, body), await post(tolerant.url, body)]
    served(one)
    assert.equal(one.text, other.text)
  })

  for (const version of ['2024-11-05', '2024-10-07', '2026-07-28', 'nonsense']) {
    it(`initialize for ${version} is answered with 2025-11-25`, async () => {
      const answer = await post(listener.url, initialize(version))
      assert.equal(answer.status, 200)
      assert.equal(answer.body?.result?.['protocolVersion'], '2025-11-25')
    })
  }

  for (const version of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    it(`initialize for ${version} is answered with ${version}`, async () => {
      const answer = await post(listener.url, initialize(version))
      assert.equal(answer.body?.result?.['protocolVersion'], version)
    })
  }

  for (const version of ['2024-11-05', '2024-10-07', '1.0']) {
    it(`a version header naming ${version} is 400 and says which are supported`, async () => {
      const answer = await post(listener.url, toolCall('echo'), { 'mcp-protocol-version': version })
      refused(answer, 400, -32_022)
      assert.deepEqual(answer.body?.error?.data?.['supported'], [
        '2026-07-28',
        '2025-11-25',
        '2025-06-18',
        '2025-03-26',
      ])
    })
  }

  it('a modern header without an envelope stays refused', async () => {
    refused(await post(listener.url, toolCall('echo'), { 'mcp-protocol-version': modern }), 400, -32_602)
  })

  it('rule B, when switched on, serves a modern header without an envelope as a legacy call', async () => {
    served(await post(tolerant.url, toolCall('echo'), { 'mcp-protocol-version': modern }))
  })

  it('rule B never touches server/discover', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }
    refused(await post(tolerant.url, body, { 'mcp-protocol-version': modern }), 400, -32_602)
  })

  it('a call without any version header is served as a legacy call', async () => {
    served(await post(listener.url, toolCall('echo'), { accept: bothTypes }))
  })
})

function initialize(protocolVersion: string): object {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params }
}

function served(answer: RpcAnswer): void {
  assert.equal(answer.status, 200, answer.text)
  assert.notEqual(answer.body?.result?.['content'], undefined, answer.text)
}

function refused(answer: RpcAnswer, status: number, code: number): void {
  assert.deepEqual({ status: answer.status, code: answer.body?.error?.code }, { status, code }, answer.text)
}
