import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fakeTools, success } from '../support/fake-tools.ts'
import { listen, testKey, type Listener } from '../support/listener.ts'
import { envelope, modernHeaders, post, toolCall } from '../support/rpc.ts'

const lines: (number | null)[] = []
let left = 0

const tools = fakeTools({
  slow: async (_args, { progress }) => {
    for (const seconds of [5, 10]) {
      progress?.(seconds, 30)
      await sleep(20)
    }
    lines.push(progress === null ? null : 1)
    return success('slow', { done: true })
  },
  endless: async (_args, { signal, progress }) => {
    progress?.(5, 30)
    if (!signal.aborted) await once(signal, 'abort')
    left += 1
    return success('endless', {})
  },
})

describe('progress of a call that lasts', () => {
  let listener: Listener
  before(async () => {
    listener = await listen({ tools, impliedKey: testKey })
  })
  after(() => listener.close())

  const modern = (name: string, token?: string, signal?: AbortSignal) =>
    post(
      listener.url,
      toolCall(name, {}, { ...envelope(), ...(token === undefined ? {} : { progressToken: token }) }),
      modernHeaders('tools/call', name),
      signal ?? null,
    )

  it('is streamed to a modern client that gave a token, before the answer', async () => {
    const answer = await modern('slow', 'p1')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
    const messages = answer.text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>)
    const told = messages.filter(({ method }) => method === 'notifications/progress')
    assert.deepEqual(
      told
        .map(({ params }) => params as Record<string, unknown>)
        .map(({ progress, total }) => [progress, total]),
      [
        [5, 30],
        [10, 30],
      ],
    )
    const last = messages.at(-1) ?? assert.fail('no answer')
    assert.deepEqual([last['id'], (last['result'] as Record<string, unknown>)['isError']], [7, undefined])
  })

  it('is not told without a token: the answer is JSON', async () => {
    const answer = await modern('slow')
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(lines.at(-1), null)
  })

  it('is not told to a legacy client, whose answer is JSON', async () => {
    const answer = await post(listener.url, toolCall('slow', {}, { progressToken: 'p2' }))
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.deepEqual(answer.body?.result?.['structuredContent'], { done: true })
    assert.equal(lines.at(-1), null)
  })

  it('ends, and the call with it, when the client leaves in the middle of the stream', async () => {
    const controller = new AbortController()
    const answer = modern('endless', 'p3', controller.signal)
    await sleep(150)
    controller.abort()
    await assert.rejects(answer)
    for (let tries = 0; left === 0 && tries < 100; tries += 1) await sleep(10)
    assert.equal(left, 1)
  })
})
