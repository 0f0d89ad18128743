import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { allScopes, defaultScopes, type Scope } from '@postern/access'
import { listTools } from '@postern/tools'
import { fakeTools } from '../support/fake-tools.ts'
import { listen, principal, type Listener } from '../support/listener.ts'
import { envelope, modernHeaders, post } from '../support/rpc.ts'

interface WireTool {
  readonly name: string
  readonly title?: unknown
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** The real catalogue as clients of either era receive it. */
describe('the list of tools on the wire', () => {
  const keys = new Map([
    ['pst_live_all', principal({ scopes: allScopes })],
    ['pst_live_default', principal({ scopes: defaultScopes })],
    ['pst_live_search', principal({ scopes: ['search:email'] })],
    ['pst_live_none', principal({ scopes: [] as Scope[] })],
  ])
  let listener: Listener
  before(async () => {
    listener = await listen({ tools: { ...fakeTools(), listTools }, keys })
  })
  after(() => listener.close())

  const list = async (key: string, era: 'legacy' | 'modern'): Promise<readonly WireTool[]> => {
    const params = era === 'modern' ? { _meta: envelope() } : {}
    const headers = { 'x-api-key': key, ...(era === 'modern' ? modernHeaders('tools/list') : {}) }
    const answer = await post(listener.url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params }, headers)
    return (answer.body?.result?.['tools'] ?? []) as WireTool[]
  }

  for (const era of ['legacy', 'modern'] as const) {
    it(`check 1, ${era}: a key lists the tools and actions it may call and no others`, async () => {
      const names = async (key: string): Promise<string[]> => (await list(key, era)).map(({ name }) => name)
      const all = await names('pst_live_all')
      const none = await names('pst_live_none')
      assert.ok(none.length > 0 && none.length < all.length)
      assert.ok(none.every((name) => all.includes(name)))
      const reader = (await list('pst_live_search', era)).find(({ name }) => name === 'email_read')
      assert.deepEqual(actionsOf(reader), ['search', 'count'])
    })

    it(`check 9, ${era}: every tool has a title and four explicit hints`, async () => {
      for (const { name, title, annotations } of await list('pst_live_all', era)) {
        assert.equal(typeof title, 'string', name)
        for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
          assert.equal(typeof annotations?.[hint], 'boolean', `${name} ${hint}`)
        }
      }
    })

    it(`check 10, ${era}: schemas have the portable shape and name no dialect`, async () => {
      for (const { name, inputSchema, outputSchema } of await list('pst_live_all', era)) {
        assert.deepEqual(forbiddenIn([inputSchema, outputSchema]), [], name)
      }
    })

    it(`check 12, ${era}: the list fits its budget of tokens`, async () => {
      assert.ok(tokens(await list('pst_live_default', era)) <= 8_000)
      assert.ok(tokens(await list('pst_live_all', era)) <= 14_000)
    })
  }

  it('check 11: with the name of a 20-letter server a tool name stays under 60 characters', async () => {
    const server = 'a-server-of-20-chars'
    for (const { name } of await list('pst_live_all', 'legacy')) {
      assert.ok(`mcp__${server}__${name}`.length < 60, name)
      assert.match(name, /^[a-z_]{1,30}$/)
    }
  })
})

function actionsOf(tool: WireTool | undefined): unknown {
  const { properties } = (tool?.inputSchema ?? {}) as { properties?: { action?: { enum?: unknown } } }
  return properties?.action?.enum
}

const forbidden = new Set(
  '$schema $ref $defs anyOf oneOf allOf not if then else patternProperties format pattern'.split(' '),
)

/** Keywords at schema level; a property may be called anything. */
function forbiddenIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(forbiddenIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'properties') return Object.values(value as object).flatMap(forbiddenIn)
    if (key === 'enum' || key === 'default' || key === 'required') return []
    return [...(forbidden.has(key) ? [key] : []), ...forbiddenIn(value)]
  })
}

/** The estimate that the budgets are written in. */
function tokens(value: unknown): number {
  const text = JSON.stringify(value)
  const ascii = text.replace(/[^\x00-\x7f]/g, '').length
  return ascii / 4 + (Array.from(text).length - ascii)
}
