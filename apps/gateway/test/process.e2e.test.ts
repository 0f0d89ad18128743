import { defaultScopes } from '@postern/access'
import { newUuid } from '@postern/core'
import {
  addTenant,
  attachEmbedded,
  issueApiKey,
  openDatabase,
  revokeApiKey,
  withTenant,
  type Database,
} from '@postern/store'
import { createKeyRing, type KeyRing } from '@postern/vault'
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { post, toolCall, type RpcAnswer } from './support/rpc.ts'

const script = fileURLToPath(new URL('../src/main.ts', import.meta.url))

describe('check 21: a wrong configuration', () => {
  it('stops the start and prints every problem at once, names only', async () => {
    const { code, output } = await refused({
      POSTERN_PORT: 'eighty',
      POSTERN_LOG_LEVEL: 'loud',
      POSTERN_PUBLIC_ULR: 'https://mcp.example.com',
      DATABASE_URL: 'mysql://root:hunter2@db',
    })
    assert.notEqual(code, 0)
    for (const name of ['POSTERN_PORT', 'POSTERN_LOG_LEVEL', 'POSTERN_PUBLIC_ULR', 'DATABASE_URL']) {
      assert.match(output, new RegExp(`^ *${name} `, 'm'))
    }
    assert.match(output, /the nearest is POSTERN_PUBLIC_URL/)
    assert.doesNotMatch(output, /hunter2|eighty|loud/)
  })

  it('an authorities file that is not there stops the start and is named', async () => {
    const { code, output } = await refused({ POSTERN_EXTRA_CA_FILE: '/nonexistent/ca.pem' })
    assert.notEqual(code, 0)
    assert.match(output, /POSTERN_EXTRA_CA_FILE/)
  })

  it('a database that does not answer stops the start, without its URL in the output', async () => {
    const key = `k1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7)).toString('base64')}`
    const { code, output } = await refused({
      DATABASE_URL: 'postgres://owner:hunter2@127.0.0.1:1/postern',
      POSTERN_SECRET_KEYS: key,
    })
    assert.notEqual(code, 0)
    assert.doesNotMatch(output, /hunter2/)
  })
})

describe('the gateway as a process with its own database', () => {
  let folder: string
  let child: ChildProcess
  let address: string
  let logged = ''
  let database: Database
  let keyRing: KeyRing
  let tenantId: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'))
    child = spawn(process.execPath, [script], {
      env: { PATH: process.env['PATH'], POSTERN_DATA_DIR: folder, POSTERN_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      logged += chunk.toString()
    })
    address = await listeningAddress(() => logged)
    keyRing = createKeyRing(await readFile(join(folder, 'secret-keys'), 'utf8'))
    database = await openDatabase({ url: (await attachEmbedded(folder)) ?? '', keyRing })
    tenantId = newUuid()
    await withTenant(database, tenantId, (trx) => addTenant(trx, { name: 'test', plan: 'self_hosted' }))
  })
  after(async () => {
    await database.close()
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = (await exited) as [number | null]
    await rm(folder, { recursive: true, force: true })
    assert.equal(code, 0)
  })

  const issue = async (): Promise<{ key: string; revoke: () => Promise<void> }> => {
    const request = { name: 'test', scopes: [...defaultScopes], inboxIds: null, expiresAt: null }
    const { key, record } = await issueApiKey(database, keyRing, tenantId, request)
    return {
      key,
      revoke: () => withTenant(database, tenantId, (trx) => revokeApiKey(trx, record.apiKeyId, new Date())),
    }
  }
  const call = (key: string): Promise<RpcAnswer> =>
    post(`${address}/mcp`, toolCall('inbox_list'), { authorization: `Bearer ${key}` })

  it('is healthy and ready once it listens', async () => {
    assert.equal((await fetch(`${address}/health`)).status, 200)
    assert.deepEqual(await (await fetch(`${address}/ready`)).json(), {
      status: 'ready',
      checks: { database: 'ok' },
    })
  })

  it('serves a key that was made beside it', async () => {
    const { key } = await issue()
    const answer = await call(key)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body?.result?.['isError'], undefined, answer.text)
  })

  it('check 5: a revoked key fails on the very next request', async () => {
    const { key, revoke } = await issue()
    assert.equal((await call(key)).status, 200)
    await revoke()
    const answer = await call(key)
    assert.equal(answer.status, 401)
    assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
    assert.doesNotMatch(answer.headers.get('www-authenticate') ?? '', /resource_metadata/)
  })

  it('a key with one wrong character is answered like an unknown one', async () => {
    const { key } = await issue()
    const last = key.endsWith('a') ? 'b' : 'a'
    const [mistyped, unknown] = [await call(key.slice(0, -1) + last), await call('pst_live_none')]
    assert.equal(mistyped.status, 401)
    assert.equal(mistyped.text, unknown.text)
  })

  it('no key reaches the log', async () => {
    const { key } = await issue()
    await call(key)
    await delay(50)
    assert.match(logged, /"event":"tool.call"/)
    assert.doesNotMatch(logged, /pst_live_/)
  })
})

describe('a process with its own database', () => {
  it('that is told to stop while it starts leaves no database behind', async (t) => {
    const { child, folder, logged } = await starting(t)
    await until(() => logged().includes('"database_started"'))
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 0, logged())
    await assert.rejects(readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid')))
  })

  it('ends with 1 when that database ends, for whoever supervises it to start it again', async (t) => {
    const { child, folder, logged } = await starting(t)
    await until(() => logged().includes('"gateway_started"'))
    const [pid] = (await readFile(join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGQUIT')
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 1, logged())
    assert.match(logged(), /"database_lost"/)
  })
})

async function starting(t: { after(done: () => Promise<void>): void }) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'))
  const env = { PATH: process.env['PATH'], POSTERN_DATA_DIR: folder, POSTERN_PORT: '0' }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { child, folder, logged: () => text }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let waited = 0; !isTrue(); waited += 50) {
    assert.ok(waited < 60_000, 'it did not happen within a minute')
    await delay(50)
  }
}

async function refused(
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-gateway-'))
  const env = { PATH: process.env['PATH'], POSTERN_DATA_DIR: folder, POSTERN_PORT: '0', ...environment }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  await rm(folder, { recursive: true, force: true })
  return { code, output }
}

async function listeningAddress(log: () => string): Promise<string> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const line = log()
      .split('\n')
      .find((text) => text.includes('"gateway_started"'))
    if (line !== undefined) {
      const { host, port } = JSON.parse(line) as { host: string; port: number }
      return `http://${host}:${String(port)}`
    }
    await delay(50)
  }
  return assert.fail(`it did not start: ${log()}`)
}
