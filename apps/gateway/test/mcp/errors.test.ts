import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { failure, fakeTools } from '../support/fake-tools.ts'
import { listen, testKey, type Listener } from '../support/listener.ts'
import { envelope, modernHeaders, post, toolCall, type RpcAnswer } from '../support/rpc.ts'

const secret = 'NO [AUTH] mailbox of alice@example.com is locked'

const tools = fakeTools({
  lacks_scope: () =>
    failed('insufficient_scope', { required_scopes: ['read:email'], missing_scopes: ['read:email'] }),
  bad_arguments: () => failed('invalid_arguments', { argument: 'limit' }),
  limited: () => failed('rate_limit_exceeded', { window: 'concurrency' }, 3),
  busy: () => failed('service_busy', {}, 5),
  broken: () => {
    throw new TypeError(secret)
  },
  sick: () => failure('sick', new Fault('internal_error', { public: 'Postern failed.', internal: secret })),
})

function failed(
  code: 'insufficient_scope' | 'invalid_arguments' | 'rate_limit_exceeded' | 'service_busy',
  details: object,
  retryAfterSeconds?: number,
) {
  const init = { public: `This is ${code}.`, details: { ...details } }
  return failure(
    code,
    new Fault(code, retryAfterSeconds === undefined ? init : { ...init, retryAfterSeconds }),
  )
}

/** Each row of the error table, in both eras where both can meet it. */
describe('errors on the wire', () => {
  let listener: Listener
  before(async () => {
    listener = await listen({ tools, impliedKey: testKey })
  })
  after(() => listener.close())

  const eras = {
    legacy: (name: string) => post(listener.url, toolCall(name)),
    modern: (name: string) =>
      post(listener.url, toolCall(name, {}, envelope()), modernHeaders('tools/call', name)),
  }

  for (const [era, call] of Object.entries(eras)) {
    it(`${era}: an unknown tool is -32602 on 200 and names its code`, async () => {
      const answer = await call('no_such_tool')
      expectError(answer, 200, -32_602)
      assert.equal(answer.body?.error?.data?.['error_code'], 'unknown_tool')
      assert.equal(answer.body?.id, 7)
    })

    it(`${era}: a scope that a key lacks is a readable result on 200, not a challenge`, async () => {
      const answer = await call('lacks_scope')
      expectErrorResult(answer, 'insufficient_scope')
      assert.equal(answer.headers.get('www-authenticate'), null)
    })

    it(`check 44, ${era}: bad arguments are an error result without structuredContent`, async () => {
      expectErrorResult(await call('bad_arguments'), 'invalid_arguments')
    })

    it(`${era}: too many calls is 429 with Retry-After equal to data.retry_after`, async () => {
      const answer = await call('limited')
      expectError(answer, 429, -32_003)
      assert.deepEqual(answer.body?.error?.data, {
        error_code: 'rate_limit_exceeded',
        window: 'concurrency',
        retry_after: 3,
      })
      assert.equal(answer.headers.get('retry-after'), '3')
      assert.equal(answer.body?.id, 7)
    })

    it(`${era}: overload is 503 with Retry-After`, async () => {
      const answer = await call('busy')
      expectError(answer, 503, -32_005)
      assert.equal(answer.body?.error?.data?.['error_code'], 'service_busy')
      assert.equal(answer.headers.get('retry-after'), '5')
    })

    it(`check 45, ${era}: our bug says an id and nothing else, and the log knows the cause`, async () => {
      const answer = await call('broken')
      expectError(answer, 200, -32_603)
      assert.equal(answer.body?.error?.message, 'Internal error')
      assert.ok(!answer.text.includes('alice') && !answer.text.includes('locked'))
      const reference = answer.body?.error?.data?.['reference']
      const line = listener.lines.find((entry) => entry['reference'] === reference)
      assert.match(String(line?.['cause']), /TypeError.*is locked/)
    })

    it(`check 45, ${era}: the internal text of a fault reaches the log and not the agent`, async () => {
      const answer = await call('sick')
      assert.ok(!answer.text.includes('locked'))
      assert.ok(
        listener.lines.some(
          (line) => line['operation'] === 'sick' && String(line['cause']).includes('is locked'),
        ),
      )
    })
  }

  it('modern: an unknown method is 404 and -32601', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'prompts/list', params: { _meta: envelope() } }
    expectError(await post(listener.url, body, modernHeaders('prompts/list')), 404, -32_601)
  })

  it('modern: a subscription is 404 and -32601, not a stream that stays open', async () => {
    const params = { notifications: { toolsListChanged: true }, _meta: envelope() }
    const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    expectError(await post(listener.url, body, modernHeaders('subscriptions/listen')), 404, -32_601)
  })

  it('legacy: an unknown method is -32601 on 200, since old clients take a 404 for a lost session', async () => {
    expectError(await post(listener.url, { jsonrpc: '2.0', id: 1, method: 'prompts/list' }), 200, -32_601)
  })

  it('modern: an unknown revision is -32022 with what is supported', async () => {
    const headers = { ...modernHeaders('tools/call', 'echo'), 'mcp-protocol-version': '2027-01-01' }
    const answer = await post(listener.url, toolCall('echo', {}, envelope('2027-01-01')), headers)
    expectError(answer, 400, -32_022)
    assert.deepEqual(answer.body?.error?.data?.['supported'], ['2026-07-28'])
  })

  it('bad JSON is -32700 with a null id', async () => {
    const answer = await post(listener.url, '{bad')
    expectError(answer, 400, -32_700)
    assert.equal(answer.body?.id, null)
  })

  it('an empty body is -32700', async () => {
    expectError(await post(listener.url, ''), 400, -32_700)
  })

  for (const body of ['null', '42', '"text"', '{}', '{"jsonrpc":"1.0","method":"ping","id":1}']) {
    it(`a body that is no JSON-RPC message (${body}) is -32600`, async () => {
      expectError(await post(listener.url, body), 400, -32_600)
    })
  }

  it('a batch is refused whole with -32600, whatever its elements', async () => {
    for (const batch of [[], [toolCall('echo')], [toolCall('echo', {}, envelope())], [null]]) {
      const answer = await post(listener.url, batch)
      expectError(answer, 400, -32_600)
      assert.equal(answer.body?.id, null)
    }
  })

  it('a __proto__ key is refused before anything reads it', async () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"__proto__":{"x":1}}}}'
    expectError(await post(listener.url, text), 400, -32_700)
  })

  it('arguments that are no object are an error, and the service goes on', async () => {
    for (const args of ['text', 42, []])
      assert.notEqual((await post(listener.url, toolCall('echo', args))).body?.error, undefined)
    assert.equal((await post(listener.url, toolCall('echo'))).status, 200)
  })

  it('arguments nested a hundred thousand deep do no harm', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bad_arguments","arguments":${deep}}}`
    assert.notEqual((await post(listener.url, text)).body, null)
    assert.equal((await post(listener.url, toolCall('echo'))).status, 200)
  })

  it('a body of another type is 415', async () => {
    expectError(
      await post(listener.url, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      -32_600,
    )
    expectError(await post(listener.url, '{}', { 'content-type': 'text/plain' }), 415, -32_600)
  })

  it('a URL that cannot be decoded is 400 and is not repeated', async () => {
    const response = await fetch(`${listener.origin}/%E0%A4pst_live_x`)
    assert.equal(response.status, 400)
    assert.equal(await response.text(), '{"error":"bad_request"}')
  })

  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    it(`${method} is 405 and allows POST`, async () => {
      const response = await fetch(listener.url, { method, headers: { accept: 'text/event-stream' } })
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'POST')
    })
  }
})

function expectError(answer: RpcAnswer, status: number, code: number): void {
  assert.deepEqual({ status: answer.status, code: answer.body?.error?.code }, { status, code }, answer.text)
}

function expectErrorResult(answer: RpcAnswer, code: string): void {
  const result = answer.body?.result
  assert.equal(answer.status, 200)
  assert.equal(result?.['isError'], true)
  assert.ok(!('structuredContent' in (result ?? {})), 'output validation would hide the error')
  const meta = result?.['_meta'] as Record<string, Record<string, unknown>>
  assert.equal(meta['postern/error']?.['error_code'], code)
}
