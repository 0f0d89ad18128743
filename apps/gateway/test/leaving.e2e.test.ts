import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'node:test'
import { createInFlight, type InFlight } from '../src/in-flight.ts'
import { fakeTools, success } from './support/fake-tools.ts'
import { listen, principal, testKey } from './support/listener.ts'
import { toolCall } from './support/rpc.ts'

describe('a client that leaves holds no place in the house', () => {
  it('when it leaves while its key is checked', async (t) => {
    const { asked, gate, inFlight, origin, close } = await slowHouse()
    t.after(close)
    const client = await send(origin, request())
    await asked.promise
    client.destroy()
    await sleep(50)
    gate.resolve()
    await emptied(inFlight)
  })

  it('when its requests wait behind one another on one connection', async (t) => {
    const entered = Promise.withResolvers<AbortSignal>()
    const tools = fakeTools({
      wait: async (_args, call) => {
        entered.resolve(call.signal)
        await once(call.signal, 'abort')
        return success('wait', {})
      },
    })
    const inFlight = createInFlight({ total: 100, perTenant: 100 })
    const house = await listen({ tools, deps: { inFlight } })
    const { origin } = house
    t.after(() => house.close())
    const client = await send(origin, request('wait').repeat(20))
    await entered.promise
    while (inFlight.size < 20) await sleep(5)
    client.destroy()
    await emptied(inFlight)
  })

  it('and each call that ends in order gives its place back once', async (t) => {
    const inFlight = createInFlight({ total: 2, perTenant: 2 })
    const house = await listen({ deps: { inFlight } })
    const { origin } = house
    t.after(() => house.close())
    for (let round = 0; round < 5; round += 1) {
      const client = await send(origin, request())
      await once(client, 'data')
      client.destroy()
    }
    await emptied(inFlight)
    assert.doesNotThrow(() =>
      [inFlight.enter('tenant'), inFlight.enter('tenant')].forEach((leave) => leave()),
    )
  })
})

function request(tool = 'echo'): string {
  const body = JSON.stringify(toolCall(tool))
  return [
    'POST /mcp HTTP/1.1',
    'Host: mcp.example.com',
    `X-API-Key: ${testKey}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    '',
    body,
  ].join('\r\n')
}

async function send(origin: string, octets: string): Promise<Socket> {
  const client = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(client, 'connect')
  client.on('error', () => client.destroy())
  client.write(octets)
  return client
}

/** A gateway whose key check says when it was asked and answers when the gate opens. */
async function slowHouse(): Promise<{
  readonly asked: PromiseWithResolvers<void>
  readonly gate: PromiseWithResolvers<void>
  readonly inFlight: InFlight
  readonly origin: string
  readonly close: () => Promise<void>
}> {
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const inFlight = createInFlight({ total: 9, perTenant: 9 })
  const authenticate = async (): Promise<ReturnType<typeof principal>> => {
    asked.resolve()
    await gate.promise
    return principal()
  }
  const house = await listen({ deps: { authenticate, inFlight } })
  return { asked, gate, inFlight, origin: house.origin, close: () => house.close() }
}

async function emptied(inFlight: InFlight): Promise<void> {
  for (let waited = 0; inFlight.size > 0 && waited < 2_000; waited += 10) await sleep(10)
  await sleep(50)
  assert.equal(inFlight.size, 0)
}
