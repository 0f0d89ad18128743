import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, addMonths, isCalendarDate, localDate, parseTime, startOfDay } from './parse-time.ts'

const now = new Date('2026-11-03T12:00:00Z')
const read = (text: string, timezone = 'Europe/Berlin'): string =>
  parseTime(text, 'since', { now, timezone }).at.toISOString()

test('check 38: since "5m" is five minutes, and every unit is what it says', () => {
  assert.equal(read('5m'), '2026-11-03T11:55:00.000Z')
  assert.equal(read('30s'), '2026-11-03T11:59:30.000Z')
  assert.equal(read('1h'), '2026-11-03T11:00:00.000Z')
  assert.equal(read('7d'), '2026-10-27T12:00:00.000Z')
  assert.equal(read('2w'), '2026-10-20T12:00:00.000Z')
  assert.equal(read('0s'), now.toISOString())
})

test('check 39: a date-time without a zone is read in the inbox zone and says so', () => {
  const context = { now, timezone: 'Europe/Berlin' }
  assert.deepEqual(parseTime('2026-11-03T10:00', 'since', context), {
    at: new Date('2026-11-03T09:00:00Z'),
    isZoneAssumed: true,
  })
  assert.equal(parseTime('2026-11-03T10:00Z', 'since', context).isZoneAssumed, false)
  assert.equal(parseTime('2026-11-03', 'since', context).isZoneAssumed, false)
})

test('instants with a zone are exact, fractions included', () => {
  assert.equal(read('2026-11-03T09:30:00+01:00'), '2026-11-03T08:30:00.000Z')
  assert.equal(read('2026-11-03T09:30:00.123456Z'), '2026-11-03T09:30:00.123Z')
  assert.equal(read('2026-11-03T09:30:00.5-02:30'), '2026-11-03T12:00:00.500Z')
  assert.equal(read('2026-11-03t09:30:00z'), '2026-11-03T09:30:00.000Z')
})

test('dates, today and yesterday begin in the inbox zone', () => {
  assert.equal(read('2026-11-03'), '2026-11-02T23:00:00.000Z')
  assert.equal(read('today'), '2026-11-02T23:00:00.000Z')
  assert.equal(read('yesterday'), '2026-11-01T23:00:00.000Z')
  assert.equal(read('today', 'Pacific/Auckland'), '2026-11-03T11:00:00.000Z')
  assert.equal(read('today', 'Pacific/Pago_Pago'), '2026-11-03T11:00:00.000Z')
})

test('what is not a time is refused, naming the argument', () => {
  const wrong = [
    '',
    '5M',
    '1.5h',
    '-1m',
    '5 m',
    '1'.repeat(30),
    `${'9'.repeat(30)}s`,
    '36501d',
    '5mo',
    'tomorrow',
    '5',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '2026-11-03T24:00:00Z',
    '2026-11-03T10:60Z',
    '2026-02-30T10:00Z',
    '2026-11-03T10:00+99:99',
    '2026-11-03T10',
    '2026-11-03 10:00',
    '03.11.2026',
    '1700000000',
  ]
  for (const text of wrong) {
    assert.throws(
      () => read(text),
      (error) =>
        error instanceof Fault && error.code === 'invalid_arguments' && error.details['argument'] === 'since',
      text,
    )
  }
})

test('check 73: a day starts where its clocks start, over every change of clocks', () => {
  const starts: readonly (readonly [string, string, string])[] = [
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'], // midnight does not exist
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'], // midnight comes twice
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'], // the day does not exist
    ['2026-01-01', 'Asia/Kathmandu', '2025-12-31T18:15:00.000Z'],
    ['2026-01-01', 'Pacific/Kiritimati', '2025-12-31T10:00:00.000Z'],
  ]
  for (const [date, timezone, start] of starts) {
    assert.equal(startOfDay(date, timezone).toISOString(), start, `${date} ${timezone}`)
  }
})

test('check 73: consecutive days never overlap and leave no gap, in any zone, all year', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Havana',
    'Africa/Cairo',
  ]
  for (const timezone of zones) {
    let date = '2026-01-01'
    for (let day = 0; day < 366; day++) {
      const start = startOfDay(date, timezone)
      assert.equal(localDate(start, timezone), date, `${date} ${timezone}`)
      const before = localDate(new Date(start.getTime() - 1), timezone)
      assert.equal(before, addDays(date, -1), `${date} ${timezone}`)
      date = addDays(date, 1)
    }
  }
})

test('months are counted on the calendar of the zone', () => {
  const back = (text: string, months: number): string =>
    addMonths(new Date(text), -months, 'Europe/Berlin').toISOString()
  assert.equal(back('2026-03-31T10:00:00Z', 1), '2026-02-28T11:00:00.000Z')
  assert.equal(back('2028-03-31T10:00:00Z', 1), '2028-02-29T11:00:00.000Z')
  assert.equal(back('2026-01-15T12:00:00Z', 13), '2024-12-15T12:00:00.000Z')
})

test('only days that exist are dates', () => {
  assert.equal(isCalendarDate('2028-02-29'), true)
  assert.equal(isCalendarDate('2026-02-29'), false)
  assert.equal(isCalendarDate('2026-2-9'), false)
})
