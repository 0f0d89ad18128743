import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDateHeader } from './parse-date-header.ts'

function reads(cases: Readonly<Record<string, string | null>>): void {
  for (const [value, instant] of Object.entries(cases)) {
    assert.equal(
      parseDateHeader(value)?.toISOString() ?? null,
      instant === null ? null : `${instant}.000Z`,
      value,
    )
  }
}

test('dates of RFC 5322 are read, with and without their optional pieces', () => {
  reads({
    'Mon, 16 Nov 2026 09:30:15 +0100': '2026-11-16T08:30:15',
    '16 Nov 2026 09:30 -0330': '2026-11-16T13:00:00',
    'mon,16 nov 2026 9:30:15 +0000': '2026-11-16T09:30:15',
    'Mon, 16 Nov 2026 09:30:15 +0100 (CET)': '2026-11-16T08:30:15',
    'Mon, (a (nested) comment) 16 Nov 2026 09 : 30 : 15 -0000': '2026-11-16T09:30:15',
    'Sun, 28 Feb 2027 23:59:60 +0000': '2027-03-01T00:00:00',
  })
})

test('obsolete zones and years mean what RFC 5322 says', () => {
  reads({
    '16 Nov 26 09:00 EST': '2026-11-16T14:00:00',
    '16 Nov 99 09:00 PDT': '1999-11-16T16:00:00',
    '16 Nov 102 09:00 GMT': '2002-11-16T09:00:00',
    '16 Nov 2026 09:00 A': '2026-11-16T09:00:00',
    '16 Nov 2026 09:00 NZDT': '2026-11-16T09:00:00',
    '16 Nov 2026 09:00': '2026-11-16T09:00:00',
  })
})

test('forms that senders write instead are read where they mean one thing', () => {
  reads({
    'Monday, 16 November 2026 09:00:00 +01:00': '2026-11-16T08:00:00',
    'Mon, 16-Nov-2026 09:00:00 GMT': '2026-11-16T09:00:00',
    'Mon, 16 Nov 2026 09:00:00 GMT+0100': '2026-11-16T08:00:00',
  })
})

test('what is no date is null, never another day', () => {
  reads({
    '': null,
    yesterday: null,
    '31 Jun 2026 09:00 +0000': null,
    '29 Feb 2026 09:00 +0000': null,
    '0 Nov 2026 09:00 +0000': null,
    '16 Foo 2026 09:00 +0000': null,
    '16 Nov 2026 24:00 +0000': null,
    '16 Nov 2026 09:60 +0000': null,
    '16 Nov 2026 09:00 +0199': null,
    '16 Nov 2026': null,
    '2026-11-16T09:00:00Z': null,
  })
})
