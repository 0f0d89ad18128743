import { allScopes, defaultScopes, type Scope } from '@postern/access'
import { listTools } from '@postern/tools'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fakeTools } from '../support/fake-tools.ts'
import { listen, principal, testKey, type Listener } from '../support/listener.ts'

const launcher = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'))),
  'clients/launcher/build/index.js',
)

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

for (const [who, scopes] of [
  ['a key with every scope', allScopes],
  ['a default key', defaultScopes],
] as const) {
  describe(`the inspector, reading the real list strictly for ${who}`, () => {
    let listener: Listener
    let home: string
    before(async () => {
      listener = await listening(scopes)
      home = await mkdtemp(join(tmpdir(), 'postern-inspector-'))
    })
    after(async () => {
      await listener.close()
      await rm(home, { recursive: true })
    })

    for (const era of ['modern', 'legacy']) {
      it(`check 10: finds no schema that some client could not take (${era})`, async () => {
        const how = `--transport http --protocol-era ${era} --method tools/list --format json --strict`.split(
          ' ',
        )
        const key = ['--header', `Authorization: Bearer ${testKey}`]
        const { code, stdout, stderr } = await inspect(home, [listener.url, ...how, ...key])
        assert.equal(code, 0, stderr)
        const listed = listTools(principal({ scopes }), { toolsets: null, isReadOnly: false })
        assert.ok(listed.length > 0)
        for (const { name } of listed) assert.ok(stdout.includes(`"${name}"`), `${name} is missing`)
      })
    }
  })
}

function listening(scopes: readonly Scope[]): Promise<Listener> {
  return listen({ tools: { ...fakeTools(), listTools }, keys: new Map([[testKey, principal({ scopes })]]) })
}

/** Exit 6 is a schema fault. It keeps files of its own in the home folder. */
function inspect(home: string, args: readonly string[]): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>()
  const options = { timeout: 60_000, env: { PATH: process.env['PATH'], HOME: home } }
  execFile(process.execPath, [launcher, '--cli', ...args], options, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
  })
  return promise
}
