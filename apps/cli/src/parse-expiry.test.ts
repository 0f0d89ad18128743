import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import { parseExpiry } from './parse-expiry.ts'

const now = new Date('2026-11-30T12:00:00Z')

for (const [text, expected] of [
  ['12h', '2026-12-01T00:00:00.000Z'],
  ['30d', '2026-12-30T12:00:00.000Z'],
  ['2w', '2026-12-14T12:00:00.000Z'],
  ['2027-01-31', '2027-01-31T23:59:59.000Z'],
  ['2027-01-31T08:00:00+01:00', '2027-01-31T07:00:00.000Z'],
] as const) {
  test(`${text} is understood`, () => assert.equal(parseExpiry(text, now).toISOString(), expected))
}

for (const text of [
  '',
  '30',
  '0d',
  '30m',
  '-3d',
  '2026-02-30',
  '2020-01-01',
  '2027-01-31T08:00',
  'tomorrow',
  '9999d',
]) {
  test(`"${text}" is refused`, () => {
    assert.throws(
      () => parseExpiry(text, now),
      (error) => error instanceof Fault && error.code === 'invalid_arguments',
    )
  })
}
