/** Calls a key may make per window. */
export const keyRateLimits = { minute: 100, hour: 1_000, day: 10_000 } as const

/** Calls all keys of a tenant may make together per minute, by plan. `self_hosted` has the largest. */
export const tenantRatePerMinute = {
  free: 60,
  personal: 120,
  pro: 300,
  team: 1_000,
  self_hosted: 1_000,
} as const

export type Plan = keyof typeof tenantRatePerMinute

/** Time a whole call may take, queueing included, in seconds. */
export const callSeconds = { read: 25, search: 40, wait: 50, write: 55 } as const

/** Waits for mail that may run at once. */
export const concurrentWaits = { perKey: 2, perTenant: 10 } as const
