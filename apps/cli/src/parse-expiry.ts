import { Fault, quote } from '@postern/core'

const unitMs = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const
const longestMs = 3_660 * unitMs.d

/**
 * When a key ends: `12h`, `30d`, `8w` from now, a day (until its end, UTC) or an instant with a zone.
 * @throws invalid_arguments for anything else, for the past, and for more than ten years.
 */
export function parseExpiry(text: string, now: Date): Date {
  const instant = spanOf(text, now) ?? dayOf(text) ?? instantOf(text)
  if (instant === null) {
    throw expiryFault(
      `${quote(text)} is no expiry. Use a span such as 30d, a date such as 2027-01-31, or an instant.`,
    )
  }
  if (instant.getTime() <= now.getTime()) throw expiryFault(`${quote(text)} is in the past.`)
  if (instant.getTime() - now.getTime() > longestMs) {
    throw expiryFault(
      `${quote(text)} is more than ten years away. Leave --expires out for a key without an end.`,
    )
  }
  return instant
}

function spanOf(text: string, now: Date): Date | null {
  const match = /^(\d{1,5})([hdw])$/.exec(text)
  const unit = match?.[2]
  if (match === null || (unit !== 'h' && unit !== 'd' && unit !== 'w')) return null
  return new Date(now.getTime() + Number(match[1]) * unitMs[unit])
}

function dayOf(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null
  const date = new Date(`${text}T23:59:59Z`)
  // A day that the month does not have rolls over; what was typed is then not what is meant.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : null
}

function instantOf(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}

function expiryFault(text: string): Fault {
  return new Fault('invalid_arguments', { public: text, details: { argument: 'expires' } })
}
