const minuteMs = 60_000
const dayMs = 86_400_000

/**
 * The instant a table means: `25m` and `3h` before now; `12d 09:30` half past nine UTC, twelve days before
 * today; `-3d 14:00` at two, three days from now. Anything else is a mistake in our own tables.
 * @throws RangeError
 */
export function momentOf(text: string, now: Date): Date {
  const recent = /^(\d+)([mh])$/.exec(text)
  if (recent !== null) {
    return new Date(now.getTime() - Number(recent[1]) * (recent[2] === 'm' ? 1 : 60) * minuteMs)
  }
  const dated = /^(-?\d+)d (\d\d):(\d\d)$/.exec(text)
  if (dated === null) throw new RangeError(`not a moment: ${text}`)
  const [, days, hours, minutes] = dated.map(Number)
  return new Date(
    startOfDay(now).getTime() - (days ?? 0) * dayMs + ((hours ?? 0) * 60 + (minutes ?? 0)) * minuteMs,
  )
}

/** The last time before `now` that it was this weekday (0 = Sunday) and this time, and `weeks` weeks before that. */
export function weeklyMoment(weekday: number, clock: string, weeks: number, now: Date): Date {
  const back = (startOfDay(now).getUTCDay() - weekday + 7) % 7
  const latest = momentOf(`${back}d ${clock}`, now)
  const passed = latest.getTime() < now.getTime() ? 0 : 1
  return new Date(latest.getTime() - (weeks + passed) * 7 * dayMs)
}

/** `{+5d}` becomes that day counted from `date`, `{month-1}` the name of that month, both in `language`. */
export function expandDates(text: string, date: Date, language: string): string {
  const options = { timeZone: 'UTC', numberingSystem: 'latn' } as const
  return text
    .replace(/\{([+-]\d{1,3})d\}/g, (_, days: string) =>
      new Date(date.getTime() + Number(days) * dayMs).toLocaleDateString(language, {
        ...options,
        day: 'numeric',
        month: 'long',
      }),
    )
    .replace(/\{month([+-]\d{1,2})\}/g, (_, months: string) =>
      new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + Number(months), 1)).toLocaleDateString(
        language,
        { ...options, month: 'long' },
      ),
    )
}

/** RFC 5322 3.3, in the sender's zone (`+0100`). */
export function formatDateHeader(date: Date, zone: string): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5))
  const local = new Date(date.getTime() + (zone.startsWith('-') ? -minutes : minutes) * minuteMs)
  // "Mon, 30 Nov 2026 19:45:00 GMT": the same field but for the zone.
  return local.toUTCString().replace('GMT', zone)
}

function startOfDay(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
}
