const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

// RFC 5322 4.3: the only names that say an offset, in hours. All others, the military letters too, say nothing.
const zones: ReadonlyMap<string, number> = new Map([
  ...([
    ['edt', -4],
    ['est', -5],
    ['cdt', -5],
    ['cst', -6],
  ] as const),
  ...([
    ['mdt', -6],
    ['mst', -7],
    ['pdt', -7],
    ['pst', -8],
  ] as const),
])

/**
 * The instant of a Date header, or null where it is no RFC 5322 date. The day of the week is not checked, it
 * and the seconds may be missing; years of two and three digits are read as 4.3 says; a zone that is missing
 * or has an unknown name counts as UTC (4.3: like `-0000`).
 * Source: RFC 5322 3.3 and 4.3.
 */
export function parseDateHeader(value: string): Date | null {
  const match = datePattern.exec(withoutComments(value.slice(0, maxLength)))
  if (match === null) return null
  const [, day = '', monthName = '', year = '', hour = '', minute = '', second = '0', zone = ''] = match
  const month = months.indexOf(monthName.slice(0, 3).toLowerCase())
  const offsetMinutes = readZone(zone)
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
  if (month === -1 || offsetMinutes === null || !isTime) return null
  const date = new Date(0)
  date.setUTCFullYear(fullYear(year), month, Number(day))
  // The 31st of a month of thirty days, and day 0, would silently become another day.
  if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(day)) return null
  // 60 is a leap second; the instant after 59 is the nearest there is.
  date.setUTCHours(Number(hour), Number(minute) - offsetMinutes, Number(second))
  return date
}

const maxLength = 200

const datePattern =
  /^\s*(?:[a-z]{1,10}\.?\s*,?\s*)?(\d{1,2})[\s-]+([a-z]{3,9})\.?[\s-]+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d{2})(?:\s*:\s*(\d{2}))?(?:\s*([+-]\s*\d{2}:?\d{2}|[a-z]{1,5}(?:[+-]\d{2}:?\d{2})?)\b)?/i

function withoutComments(value: string): string {
  let depth = 0
  let text = ''
  for (const character of value) {
    if (character === '(') depth += 1
    if (depth === 0) text += character
    if (character === ')' && depth > 0) depth -= 1
  }
  return text
}

function fullYear(year: string): number {
  if (year.length === 4) return Number(year)
  return Number(year) + (year.length === 2 && Number(year) < 50 ? 2000 : 1900)
}

/** Minutes east of UTC, or null when an offset has more than 59 minutes. */
function readZone(zone: string): number | null {
  const numeric = /([+-])\s*(\d{2}):?(\d{2})$/.exec(zone)
  if (numeric === null) return (zones.get(zone.toLowerCase()) ?? 0) * 60
  const [, sign, hours, minutes] = numeric
  if (Number(minutes) > 59) return null
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
