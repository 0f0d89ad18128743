import type { FastifyInstance } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'

/** One thing this process cannot work without. Resolves when it is there, throws when it is not. */
export interface ReadinessCheck {
  /** A word for the answer: `database`. Not an address. */
  readonly name: string
  readonly run: () => Promise<void>
}

export interface HealthDeps {
  readonly checks: readonly ReadinessCheck[]
  readonly isStopping: () => boolean
}

const checkTimeoutMs = 2_000
/** Anyone may ask, so asking often must cost the database nothing. */
const keepMs = 1_000

/**
 * `/health`: the process answers. `/ready`: it can do its work, and is not about to stop. Neither says why something
 * is missing; that stands in the log.
 */
export function health(app: FastifyInstance, { checks, isStopping }: HealthDeps): void {
  app.get('/health', () => ({ status: 'ok' }))
  const readiness = kept(() => runChecks(checks))
  app.get('/ready', async (_request, reply) => {
    const results = await readiness()
    const isReady = !isStopping() && Object.values(results).every((result) => result === 'ok')
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : isStopping() ? 'stopping' : 'not_ready',
      checks: results,
    })
  })
}

type Results = Readonly<Record<string, 'ok' | 'failed'>>

async function runChecks(checks: readonly ReadinessCheck[]): Promise<Results> {
  const results = await Promise.all(
    checks.map(async ({ name, run }): Promise<[string, 'ok' | 'failed']> => [name, await inTime(run)]),
  )
  return Object.fromEntries(results)
}

async function inTime(run: () => Promise<void>): Promise<'ok' | 'failed'> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      run().then((): 'ok' => 'ok'),
      delay(checkTimeoutMs, 'failed' as const, { signal: timer.signal }),
    ])
  } catch {
    return 'failed'
  } finally {
    timer.abort()
  }
}

function kept<T>(make: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | null = null
  let madeAt = 0
  return () => {
    if (value === null || performance.now() - madeAt > keepMs) {
      value = make()
      madeAt = performance.now()
    }
    return value
  }
}
