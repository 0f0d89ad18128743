import { concurrentWaits, type Principal } from '@postern/access'
import { Fault } from '@postern/core'

/** Who waits for mail in this process: each wait holds a request, and often a connection, for most of a minute. */
export interface WaitPlaces {
  /**
   * Takes a place until the returned function is called (twice does no harm).
   * @throws rate_limit_exceeded, window `concurrency`.
   */
  enter(principal: Principal): () => void
}

export function createWaitPlaces(
  limits: { perKey: number; perTenant: number } = concurrentWaits,
): WaitPlaces {
  const taken = new Map<string, number>()
  const change = (id: string, by: 1 | -1): void => {
    const count = (taken.get(id) ?? 0) + by
    if (count === 0) taken.delete(id)
    else taken.set(id, count)
  }
  return {
    enter: ({ tenantId, principalId }) => {
      const ids = [`key ${principalId}`, `tenant ${tenantId}`] as const
      if ((taken.get(ids[0]) ?? 0) >= limits.perKey) throw tooMany('This key', limits.perKey)
      if ((taken.get(ids[1]) ?? 0) >= limits.perTenant) {
        throw tooMany('The keys of this account together', limits.perTenant)
      }
      for (const id of ids) change(id, 1)
      let isOpen = true
      return () => {
        if (isOpen) for (const id of ids) change(id, -1)
        isOpen = false
      }
    },
  }
}

function tooMany(who: string, limit: number): Fault {
  return new Fault('rate_limit_exceeded', {
    public: `${who} may have ${limit} waits running at once. This one was not started; it can be once another has ended.`,
    details: { window: 'concurrency' },
    retryAfterSeconds: 5,
  })
}
