import { Fault } from '@postern/core'

export interface InFlightLimits {
  /** Requests being answered at once, over all tenants. */
  readonly total: number
  /** The most of these that one tenant may hold, so that no tenant can fill the house. */
  readonly perTenant: number
}

/** Requests and calls under way: refuses too many, and lets a shutdown wait for those that are left. */
export interface InFlight {
  readonly size: number
  /**
   * Takes a place until the returned function is called (twice does no harm).
   * @throws service_busy when the house is full, rate_limit_exceeded (window `concurrency`) when the tenant's share is.
   */
  enter(tenantId: string): () => void
  /** Follows work that may outlast its request, as when the client goes away during a submission. */
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is under way any more. */
  drained(): Promise<void>
}

export function createInFlight(limits: InFlightLimits): InFlight {
  const perTenant = new Map<string, number>()
  const waiting = new Set<() => void>()
  let places = 0
  let tracked = 0
  const settle = (): void => {
    if (places > 0 || tracked > 0) return
    for (const wake of waiting) wake()
    waiting.clear()
  }
  const leave = (tenantId: string): void => {
    places -= 1
    const left = (perTenant.get(tenantId) ?? 1) - 1
    if (left === 0) perTenant.delete(tenantId)
    else perTenant.set(tenantId, left)
    settle()
  }
  return {
    get size() {
      return places
    },
    enter: (tenantId) => {
      const held = perTenant.get(tenantId) ?? 0
      if (held >= limits.perTenant) throw tooManyAtOnce(limits.perTenant)
      if (places >= limits.total) throw busy()
      places += 1
      perTenant.set(tenantId, held + 1)
      let isOpen = true
      return () => {
        if (isOpen) leave(tenantId)
        isOpen = false
      }
    },
    track: async (work) => {
      tracked += 1
      try {
        return await work
      } finally {
        tracked -= 1
        settle()
      }
    },
    drained: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add(resolve)
      settle()
      return promise
    },
  }
}

function tooManyAtOnce(limit: number): Fault {
  return new Fault('rate_limit_exceeded', {
    public: `More than ${String(limit)} calls of this account are running at once. This one was not started; repeat it in a second.`,
    details: { window: 'concurrency' },
    retryAfterSeconds: 1,
  })
}

function busy(): Fault {
  return new Fault('service_busy', {
    public:
      'The service is answering as many calls as it can. This one was not started; repeat it in a few seconds.',
    retryAfterSeconds: 2,
  })
}
