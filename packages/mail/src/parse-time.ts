import { Fault, quote } from '@postern/core'

export interface TimeContext {
  readonly now: Date
  /** IANA name, already validated: the inbox's zone. */
  readonly timezone: string
}

export interface ParsedTime {
  readonly at: Date
  /** True for a date-time without a zone, which was read in the inbox's zone: the caller says so in a note. */
  readonly isZoneAssumed: boolean
}

const dayMs = 86_400_000
const unitMs = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', dayMs],
  ['w', 7 * dayMs],
])
const maxAgeMs = 36_500 * dayMs

// RFC 3339 5.6, the zone optional here. Every quantifier is bounded.
const dateTimeShape = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2})(:\d{2})?(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})?$/

/**
 * Reads a time argument: an instant, a date or date-time in the inbox's zone, `today`, `yesterday`, or an age
 * such as `5m` (minutes) or `2w`.
 * @param argument name of the argument, for the fault.
 * @throws invalid_arguments naming the argument and the accepted forms.
 */
export function parseTime(text: string, argument: string, context: TimeContext): ParsedTime {
  const at = readInstant(text, context)
  if (at !== null) return at
  throw new Fault('invalid_arguments', {
    public:
      `${argument}: ${quote(text)} is not a time. Times are 2026-11-03T09:30:00Z, 2026-11-03, today, yesterday, ` +
      'or an age such as 30s, 5m (minutes), 1h, 7d, 2w, of at most 36500 days. Nothing was done.',
    details: { argument },
  })
}

function readInstant(text: string, { now, timezone }: TimeContext): ParsedTime | null {
  const exact = (at: Date): ParsedTime => ({ at, isZoneAssumed: false })

  const [, count, unit] = /^(\d{1,10})([smhdw])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) {
    const ageMs = Number(count) * (unitMs.get(unit) ?? Number.NaN)
    return ageMs <= maxAgeMs ? exact(new Date(now.getTime() - ageMs)) : null
  }
  if (isCalendarDate(text)) return exact(startOfDay(text, timezone))
  if (/^today$/i.test(text)) return exact(startOfDay(localDate(now, timezone), timezone))
  if (/^yesterday$/i.test(text)) {
    return exact(startOfDay(addDays(localDate(now, timezone), -1), timezone))
  }

  const [whole, date, minutes, seconds = ':00', fraction = '0', zone] = dateTimeShape.exec(text) ?? []
  if (whole === undefined || date === undefined || minutes === undefined || !isCalendarDate(date)) return null
  // Milliseconds are the resolution of an instant; further digits are cut.
  const local = `${date}T${minutes}${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}`
  const wallMs = Date.parse(`${local}Z`)
  // Date.parse takes 24:00 as the next day; RFC 3339 has no such hour.
  if (Number.isNaN(wallMs) || minutes.startsWith('24')) return null
  if (zone === undefined) return { at: firstInstantAt(wallMs, timezone), isZoneAssumed: true }
  const instant = new Date(`${local}${zone.toUpperCase()}`)
  return Number.isNaN(instant.getTime()) ? null : exact(instant)
}

/** True for `YYYY-MM-DD` naming a day that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  // 30 February parses as a day of March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

/**
 * The first instant of a local day. Where clocks jump over midnight the day begins when they land; where
 * midnight comes twice it begins at the first; a day the zone never had begins where the next one does. So
 * consecutive days neither overlap nor leave a gap.
 * @param date `YYYY-MM-DD`, an existing day.
 */
export function startOfDay(date: string, timezone: string): Date {
  return firstInstantAt(Date.parse(`${date}T00:00:00Z`), timezone)
}

/** The local day of an instant, as `YYYY-MM-DD`. */
export function localDate(at: Date, timezone: string): string {
  const offsetMs = offsetsOf(timezone)(at.getTime())
  return new Date(at.getTime() + offsetMs).toISOString().slice(0, 10)
}

/** Moves a calendar date by whole days, without any zone. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/**
 * An instant moved by calendar months on the clocks of the zone; a day the target month lacks becomes its
 * last day (31 March less one month is 28 or 29 February).
 */
export function addMonths(at: Date, months: number, timezone: string): Date {
  const wall = new Date(at.getTime() + offsetsOf(timezone)(at.getTime()))
  const day = wall.getUTCDate()
  wall.setUTCDate(1)
  wall.setUTCMonth(wall.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate()
  wall.setUTCDate(Math.min(day, lastDay))
  return firstInstantAt(wall.getTime(), timezone)
}

/** The earliest instant at which clocks show `wallMs` (a local time written as if it were UTC) or, in a gap, jump past it. */
function firstInstantAt(wallMs: number, timezone: string): Date {
  const offsetAt = offsetsOf(timezone)
  // Offsets lie within 26 hours of each other, so these two straddle any one change of clocks near the wall time.
  const earlier = wallMs - Math.max(offsetAt(wallMs - 36 * 3_600_000), offsetAt(wallMs + 36 * 3_600_000))
  const later = wallMs - Math.min(offsetAt(wallMs - 36 * 3_600_000), offsetAt(wallMs + 36 * 3_600_000))
  for (const instant of [earlier, later]) {
    if (instant + offsetAt(instant) === wallMs) return new Date(instant)
  }
  // A gap: the clocks change between the two, by bisection to the millisecond.
  let before = earlier
  let after = later
  const offsetBefore = offsetAt(before)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offsetBefore) before = middle
    else after = middle
  }
  return new Date(after)
}

/** Offset from UTC, in milliseconds, that the zone's clocks have at an instant. */
function offsetsOf(timezone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
  return (instantMs) => {
    const name = format.formatToParts(instantMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    // `GMT`, `GMT+05:45`; seconds only in the nineteenth century.
    const [, sign, hours, minutes, seconds = '0'] = /^GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(name) ?? []
    const totalSeconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)
    return (sign === '-' ? -1 : 1) * totalSeconds * 1000
  }
}
