import fastify from 'fastify'
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { health, type HealthDeps } from './health.ts'

async function ready(deps: Partial<HealthDeps>): Promise<{ status: number; body: unknown }> {
  const app = fastify()
  health(app, { checks: [], isStopping: () => false, ...deps })
  const { statusCode, body } = await app.inject('/ready')
  await app.close()
  return { status: statusCode, body: JSON.parse(body) as unknown }
}

it('a failed check is 503 and says which one, not why', async () => {
  const run = (): Promise<void> => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3'))
  const { status, body } = await ready({ checks: [{ name: 'database', run }] })
  assert.equal(status, 503)
  assert.deepEqual(body, { status: 'not_ready', checks: { database: 'failed' } })
})

it('a check that never answers is a failed one', async () => {
  const run = (): Promise<void> => new Promise(() => undefined)
  const { status } = await ready({ checks: [{ name: 'database', run }] })
  assert.equal(status, 503)
})

it('a process that stops is not ready, though it works', async () => {
  const { status, body } = await ready({ isStopping: () => true })
  assert.equal(status, 503)
  assert.deepEqual(body, { status: 'stopping', checks: {} })
})

it('asking often asks the database once a second', async () => {
  let asked = 0
  const app = fastify()
  const run = async (): Promise<void> => {
    asked += 1
  }
  health(app, { checks: [{ name: 'database', run }], isStopping: () => false })
  await Promise.all(Array.from({ length: 50 }, () => app.inject('/ready')))
  await app.close()
  assert.equal(asked, 1)
})

it('the process is alive whatever its checks say', async () => {
  const app = fastify()
  const run = (): Promise<void> => Promise.reject(new Error('down'))
  health(app, { checks: [{ name: 'database', run }], isStopping: () => true })
  const { statusCode } = await app.inject('/health')
  await app.close()
  assert.equal(statusCode, 200)
})
