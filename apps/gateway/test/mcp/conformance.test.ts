import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listen, testKey, type Listener } from '../support/listener.ts'
import { withFixtures } from './conformance-fixtures.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))
const unlimited = { minute: 1e6, hour: 1e6, day: 1e6, tenantMinute: 1e6 }

interface Run {
  readonly code: number
  readonly output: string
}

describe('the conformance suite', () => {
  let listener: Listener
  let results: string
  before(async () => {
    listener = await listen({
      impliedKey: testKey,
      wrapServer: withFixtures,
      deps: { rateLimits: unlimited },
    })
    results = await mkdtemp(join(tmpdir(), 'postern-conformance-'))
  })
  after(async () => {
    await listener.close()
    await rm(results, { recursive: true })
  })

  const run = (revision: string, ...more: string[]): Promise<Run> =>
    spawned([
      'server',
      '--url',
      listener.url,
      '--requirements',
      revision,
      '-o',
      join(results, revision),
      ...more,
    ])

  it('passes everything that 2026-07-28 requires of a server', async () => {
    const { code, output } = await run('2026-07-28')
    assert.equal(code, 0, output)
  })

  it('passes what 2025-11-25 requires of a server, but for what needs a session', async () => {
    const baseline = fileURLToPath(new URL('conformance-2025-11-25.yml', import.meta.url))
    const { code, output } = await run('2025-11-25', '--expected-failures', baseline)
    assert.equal(code, 0, output)
  })

  it('fails when a scenario fails that is not explained', async () => {
    const { code } = await run('2025-11-25')
    assert.notEqual(code, 0)
  })
})

function spawned(args: readonly string[]): Promise<Run> {
  const { promise, resolve } = Promise.withResolvers<Run>()
  const options = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 }
  execFile(process.execPath, [suite, ...args], options, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
  })
  return promise
}
