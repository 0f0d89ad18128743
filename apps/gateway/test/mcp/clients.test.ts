import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client as Client112 } from 'sdk-1-12/client/index.js'
import { StreamableHTTPClientTransport as Transport112 } from 'sdk-1-12/client/streamableHttp.js'
import { Client as Client132 } from 'sdk-1-32/client/index.js'
import { StreamableHTTPClientTransport as Transport132 } from 'sdk-1-32/client/streamableHttp.js'
import { failure, fakeTools } from '../support/fake-tools.ts'
import { listen, principal, testKey, type Listener } from '../support/listener.ts'

/** What every client library offers, whatever its age, once connected. */
interface Connected {
  list(): Promise<readonly string[]>
  call(name: string, args: Record<string, unknown>): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

type Connect = (url: URL, headers: Record<string, string>) => Promise<Connected>

const info = { name: 'test-client', version: '1.0.0' }

const clients: Readonly<Record<string, Connect>> = {
  'SDK 1.12': async (url, headers) => {
    const client = new Client112(info)
    // Its own types disagree with each other under exactOptionalPropertyTypes.
    const transport = new Transport112(url, { requestInit: { headers } }) as Parameters<
      Client112['connect']
    >[0]
    await client.connect(transport)
    return connected(client)
  },
  'SDK 1.32': async (url, headers) => {
    const client = new Client132(info)
    await client.connect(new Transport132(url, { requestInit: { headers } }))
    return connected(client)
  },
  'SDK 2, legacy era': (url, headers) => connectV2(url, headers, 'legacy'),
  'SDK 2, negotiating': (url, headers) => connectV2(url, headers, 'auto'),
  'SDK 2, pinned to 2026-07-28': (url, headers) => connectV2(url, headers, { pin: '2026-07-28' }),
}

async function connectV2(
  url: URL,
  headers: Record<string, string>,
  mode: VersionNegotiationMode,
): Promise<Connected> {
  const client = new Client(info, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return connected(client)
}

interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>
  callTool(params: {
    name: string
    arguments: Record<string, unknown>
  }): Promise<Readonly<Record<string, unknown>>>
  close(): Promise<void>
}

function connected(client: AnyClient): Connected {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

for (const [name, connect] of Object.entries(clients)) {
  describe(`a client built on ${name}`, () => {
    const fails = (): ReturnType<typeof failure> =>
      failure(
        'fails',
        new Fault('invalid_arguments', { public: 'The limit is too large.', details: { argument: 'limit' } }),
      )
    let listener: Listener
    before(async () => {
      listener = await listen({ tools: fakeTools({ fails }), keys: new Map([[testKey, principal()]]) })
    })
    after(() => listener.close())

    const use = async (
      headers: Record<string, string>,
      act: (client: Connected) => Promise<void>,
    ): Promise<void> => {
      const client = await connect(new URL(listener.url), headers)
      try {
        await act(client)
      } finally {
        await client.close()
      }
    }
    const bearer = { authorization: `Bearer ${testKey}` }

    it('check 14: connects, lists the tools and calls one', async () => {
      await use(bearer, async (client) => {
        assert.deepEqual(await client.list(), ['echo', 'fails'])
        const result = await client.call('echo', { a: [1, 'two'] })
        assert.deepEqual(result['structuredContent'], { a: [1, 'two'] })
      })
    })

    it('connects with X-API-Key too', async () => {
      await use({ 'x-api-key': testKey }, async (client) => assert.equal((await client.list()).length, 2))
    })

    it('reads an error as a result, though the tool has an output schema', async () => {
      await use(bearer, async (client) => {
        await client.list()
        const result = await client.call('fails', {})
        assert.equal(result['isError'], true)
        assert.match(JSON.stringify(result['content']), /The limit is too large/)
      })
    })

    it('is told that a tool does not exist', async () => {
      await use(bearer, async (client) => {
        await assert.rejects(client.call('no_such_tool', {}), /No such tool/)
      })
    })

    it('fails to connect with a wrong key, without being sent to sign in', async () => {
      const before = listener.lines.length
      await assert.rejects(connect(new URL(listener.url), { authorization: 'Bearer pst_live_wrong' }))
      assert.ok(
        listener.lines
          .slice(before)
          .every(({ http_status }) => http_status === undefined || Number(http_status) >= 400),
      )
    })
  })
}
