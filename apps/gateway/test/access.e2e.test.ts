import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { listen, principal, testKey, type Listener } from './support/listener.ts'
import { post, toolCall, type RawHeaders, type RpcAnswer } from './support/rpc.ts'

describe('who may call', () => {
  const keys = new Map([
    [testKey, principal()],
    ['pst_live_other', principal()],
  ])
  let listener: Listener
  before(async () => {
    listener = await listen({ keys })
  })
  after(() => listener.close())

  const call = (headers: RawHeaders, query = ''): Promise<RpcAnswer> =>
    post(`${listener.url}${query}`, toolCall('echo'), headers)

  it('a key is taken as a bearer token, in any case of the word', async () => {
    for (const word of ['Bearer', 'bearer', 'BEARER']) {
      assert.equal((await call({ authorization: `${word} ${testKey}` })).status, 200)
    }
  })

  it('a key is taken from X-API-Key', async () => {
    assert.equal((await call({ 'x-api-key': testKey })).status, 200)
  })

  it('the same key in both headers is one key', async () => {
    assert.equal((await call({ authorization: `Bearer ${testKey}`, 'x-api-key': testKey })).status, 200)
  })

  it('a header that stands there twice is refused, though both keys are valid', async () => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const headers = ['Content-Type', 'application/json', 'Host', new URL(listener.url).host]
    for (const key of [testKey, testKey]) headers.push('Authorization', `Bearer ${key}`)
    const sent = request(listener.url, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.end(JSON.stringify(toolCall('echo')))
    assert.equal(await promise, 401)
  })

  it('two different keys are refused, though both are valid', async () => {
    expectUnauthenticated(await call({ authorization: `Bearer ${testKey}`, 'x-api-key': 'pst_live_other' }))
  })

  it('check 4: without a credential the answer is a challenge without an error code and without resource_metadata', async () => {
    const answer = await call({})
    assert.equal(answer.status, 401)
    assert.equal(answer.body?.error?.code, -32_010)
    assert.equal(answer.body.error.data?.['error_code'], 'unauthenticated')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="postern"')
  })

  it('check 4: an unknown key, and a token of any other shape, is invalid_token without resource_metadata', async () => {
    for (const token of ['pst_live_unknown', 'eyJhbGciOiJub25lIn0.e30.']) {
      expectUnauthenticated(await call({ authorization: `Bearer ${token}` }))
    }
  })

  it('a malformed credential is refused beside a good one', async () => {
    for (const authorization of ['Basic dXNlcjpwYXNz', testKey, 'Bearer', `Bearer ${testKey} x`]) {
      expectUnauthenticated(await call({ authorization, 'x-api-key': testKey }))
    }
  })

  it('a key in the URL is refused even beside the right header', async () => {
    const headers = { authorization: `Bearer ${testKey}` }
    for (const query of [
      `?key=${testKey}`,
      `?x=${testKey}`,
      '?api_key=abc',
      '?access_token=abc',
      '?apiKey=abc',
    ]) {
      expectUnauthenticated(await call(headers, query))
    }
  })

  it('check 5: a revoked key fails on the very next request', async () => {
    const key = 'pst_live_revoked_soon'
    keys.set(key, principal())
    assert.equal((await call({ 'x-api-key': key })).status, 200)
    keys.delete(key)
    expectUnauthenticated(await call({ 'x-api-key': key }))
  })

  it('the body of a stranger is never parsed', async () => {
    const answer = await post(listener.url, '{bad', {})
    assert.equal(answer.status, 401)
  })

  it('no key reaches a log line', async () => {
    await call({ authorization: `Bearer ${testKey}` }, `?key=${testKey}`)
    await call({ authorization: 'Bearer pst_live_never_log_me' })
    assert.ok(listener.lines.length > 0)
    assert.doesNotMatch(JSON.stringify(listener.lines), /pst_live/)
  })

  for (const path of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration',
    '/mcp/.well-known/oauth-protected-resource',
    '/register',
    '/',
  ]) {
    it(`${path} is a JSON 404: a client that found OAuth metadata would drop its key`, async () => {
      const response = await fetch(`${listener.origin}${path}`)
      assert.equal(response.status, 404)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(await response.json(), { error: 'not_found' })
    })
  }
})

it('a key check that fails for another reason is not a 401: the key may be good', async () => {
  const broken = await listen({
    deps: { authenticate: () => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:5432')) },
  })
  const busy = await listen({
    deps: {
      authenticate: () =>
        Promise.reject(new Fault('service_busy', { public: 'Too busy.', retryAfterSeconds: 2 })),
    },
  })
  try {
    const failed = await post(broken.url, toolCall('echo'), { 'x-api-key': testKey })
    assert.deepEqual([failed.status, failed.body?.error?.code], [500, -32_603])
    assert.doesNotMatch(failed.text, /ECONNREFUSED/)
    assert.equal((await post(busy.url, toolCall('echo'), { 'x-api-key': testKey })).status, 503)
  } finally {
    await broken.close()
    await busy.close()
  }
})

function expectUnauthenticated(answer: RpcAnswer): void {
  assert.equal(answer.status, 401, answer.text)
  assert.equal(answer.body?.error?.code, -32_010)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /^Bearer realm="postern", error="invalid_token"/)
  assert.doesNotMatch(challenge, /resource_metadata/)
}
