import { tenantRatePerMinute, type Plan } from '@postern/access'

/** A stored plan; one that this release does not know has the limits of the smallest. */
export function toPlan(text: string): Plan {
  return isPlan(text) ? text : 'free'
}

function isPlan(text: string): text is Plan {
  return Object.hasOwn(tenantRatePerMinute, text)
}
