import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expandDates, formatDateHeader, momentOf, weeklyMoment } from './timeline.ts'

const now = new Date('2026-11-30T19:45:00Z') // a Monday

test('moments count back from now or from the start of today', () => {
  assert.equal(momentOf('25m', now).toISOString(), '2026-11-30T19:20:00.000Z')
  assert.equal(momentOf('1d 23:59', now).toISOString(), '2026-11-29T23:59:00.000Z')
  assert.equal(momentOf('-3d 14:00', now).toISOString(), '2026-12-03T14:00:00.000Z')
  assert.throws(() => momentOf('yesterday', now), RangeError)
})

test('a weekly moment is never in the future', () => {
  assert.equal(weeklyMoment(1, '19:44', 0, now).toISOString(), '2026-11-30T19:44:00.000Z')
  assert.equal(weeklyMoment(1, '19:46', 0, now).toISOString(), '2026-11-23T19:46:00.000Z')
  assert.equal(weeklyMoment(2, '08:00', 1, now).toISOString(), '2026-11-17T08:00:00.000Z')
})

test('dates in text are counted from the message and named in its language', () => {
  assert.equal(expandDates('by {+3d} for {month-1}', now, 'en-GB'), 'by 3 December for October')
  assert.equal(expandDates('bis zum {+3d}', now, 'de'), 'bis zum 3. Dezember')
})

test('a Date header shows local time and the zone', () => {
  assert.equal(formatDateHeader(now, '+0530'), 'Tue, 01 Dec 2026 01:15:00 +0530')
  assert.equal(formatDateHeader(now, '-0500'), 'Mon, 30 Nov 2026 14:45:00 -0500')
})
