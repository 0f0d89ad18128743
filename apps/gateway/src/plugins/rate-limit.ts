import { tenantRatePerMinute, type Plan, type Principal } from '@postern/access'
import { Fault } from '@postern/core'
import type { FastifyInstance } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { asRpcMessage } from '../mcp/json-rpc.ts'
import { requirePrincipal } from './require-principal.ts'

/** Calls allowed per window; a window opens with its first call. */
export interface RateLimits {
  readonly minute: number
  readonly hour: number
  readonly day: number
  /** All keys of a tenant together; null: what the tenant's plan allows. */
  readonly tenantMinute: number | null
}

type Window = 'minute' | 'hour' | 'day' | 'tenant_minute'

/** @throws rate_limit_exceeded */
type Take = (principal: Principal) => Promise<void>

/** Handshakes and lists per call that a key may make: a client that reconnects for each call still gets its calls. */
const requestsPerCall = 3

/** The counts of one process, shared by its doors: a key has one allowance, whichever way it comes in. */
export interface Meters {
  readonly takeCall: Take
  /** For what is no call: a wider budget of its own, so that it is bounded too but never costs a call. */
  readonly takeRequest: Take
}

/** Counts per key and per tenant, never per IP: the agents of one vendor share addresses. */
export function createMeters(limits: RateLimits): Meters {
  return {
    takeCall: meterCalls(limits),
    takeRequest: meter('minute', limits.minute * requestsPerCall, perKey),
  }
}

/**
 * What counts is `tools/call`; everything else a key sends (initialize, tools/list, notifications) is a request.
 * Decided by the body: a header can say anything.
 */
export function rateLimit(app: FastifyInstance, { takeCall, takeRequest }: Meters): void {
  app.addHook('preHandler', async (request) => {
    if (Array.isArray(request.body)) throw batchRefused()
    const isCall = asRpcMessage(request.body)?.method === 'tools/call'
    await (isCall ? takeCall : takeRequest)(requirePrincipal(request))
  })
}

/** Shortest window first: a call it refuses is not counted against the longer ones. */
function meterCalls(limits: RateLimits): Take {
  const meters = [
    meter('minute', limits.minute, perKey),
    meter('hour', limits.hour, perKey),
    meter('day', limits.day, perKey),
    meterTenants(limits.tenantMinute),
  ]
  return async (principal) => {
    for (const take of meters) await take(principal)
  }
}

/** A meter per plan, made when a tenant of that plan first calls. */
function meterTenants(fixed: number | null): Take {
  const meters = new Map<Plan, Take>()
  return (principal) => {
    const { plan } = principal
    const known = meters.get(plan)
    const take =
      known ?? meter('tenant_minute', fixed ?? tenantRatePerMinute[plan], ({ tenantId }) => tenantId)
    if (known === undefined) meters.set(plan, take)
    return take(principal)
  }
}

const windowSeconds = { minute: 60, hour: 3_600, day: 86_400, tenant_minute: 60 } as const

function perKey({ principalId }: Principal): string {
  return principalId
}

function meter(window: Window, points: number, idOf: (principal: Principal) => string): Take {
  const limiter = new RateLimiterMemory({ points, duration: windowSeconds[window], keyPrefix: '' })
  return async (principal) => {
    try {
      await limiter.consume(idOf(principal))
    } catch (error) {
      // The library rejects with its count where there is no room, and with an Error where it failed.
      throw error instanceof RateLimiterRes ? tooMany(window, points, error.msBeforeNext) : error
    }
  }
}

function tooMany(window: Window, limit: number, leftMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(leftMs / 1_000))
  const who = window === 'tenant_minute' ? 'The keys of this account together' : 'This key'
  const span = window === 'tenant_minute' ? 'minute' : window
  return new Fault('rate_limit_exceeded', {
    public: `${who} may send ${String(limit)} requests of this kind per ${span}. This one was not started; repeat it in ${String(seconds)} s.`,
    details: { window },
    retryAfterSeconds: seconds,
  })
}

function batchRefused(): Fault {
  return new Fault('invalid_arguments', {
    public: 'JSON-RPC batches are not taken. Send one message per request; nothing in this one was done.',
  })
}
