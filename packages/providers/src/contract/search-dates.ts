import { addDays, startOfDay, type Criterion } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  callFor,
  found,
  keyOf,
  pageOf,
  seed,
  toQuery,
  type ContractMailbox,
  type MakeMailbox,
} from './mailbox.ts'
import { plain } from './messages.ts'

// A zone far east, one far west, and one on the days its clocks change.
const days: readonly (readonly [timezone: string, first: string])[] = [
  ['Pacific/Kiritimati', '2026-01-14'],
  ['Pacific/Pago_Pago', '2026-02-10'],
  ['Europe/Berlin', '2026-03-28'],
  ['America/New_York', '2026-10-31'],
]
const secondMs = 1000

export function describeSearchDates(make: MakeMailbox): void {
  describe('dates of a search', () => {
    let mailbox: ContractMailbox
    /** Key to instant, in seconds around every border of three days and at 15:00 local on each. */
    const instants = new Map<string, Date>()

    before(async () => {
      mailbox = await make()
      for (const [timezone, first] of days) {
        for (const day of [0, 1, 2, 3]) {
          const start = startOfDay(addDays(first, day), timezone).getTime()
          for (const offset of [-1, 0, 1, 54_000]) {
            const key = `d${String(instants.size)}`
            instants.set(key, new Date(start + offset * secondMs))
          }
        }
      }
      await seed(
        mailbox,
        'INBOX',
        [...instants].map(([key, receivedAt]) => plain({ key, receivedAt })),
      )
    })
    after(() => mailbox.close())

    const within = (from: Date, to: Date): readonly string[] =>
      [...instants.entries()]
        .filter(([, at]) => at >= from && at < to)
        .map(([key]) => key)
        .sort()

    test('check 73: a day of a query is the local day, to the second, in any zone and over changes of clocks', async () => {
      for (const [timezone, first] of days) {
        for (const day of [0, 1, 2]) {
          const date = addDays(first, day)
          const next = addDays(date, 1)
          const keys = await found(mailbox, `after:${date} before:${next}`, timezone)
          assert.deepEqual(
            keys,
            within(startOfDay(date, timezone), startOfDay(next, timezone)),
            `${date} ${timezone}`,
          )
        }
      }
    })

    test('check 73: days that follow each other share no message and lose none', async () => {
      for (const [timezone, first] of days) {
        const end = addDays(first, 3)
        const single = [0, 1, 2].map((day) => [addDays(first, day), addDays(first, day + 1)] as const)
        const parts = await Promise.all(
          single.map(async ([from, to]) => found(mailbox, `after:${from} before:${to}`, timezone)),
        )
        assert.deepEqual(
          parts.flat().sort(),
          await found(mailbox, `after:${first} before:${end}`, timezone),
          timezone,
        )
      }
    })

    test('check 73: since and before are exact to the second, alone, negated and beside other criteria', async () => {
      const { folderIds } = await toQuery(mailbox.adapter, 'x')
      const far = [new Date(0), new Date('2100-01-01T00:00:00Z')] as const
      for (const [, at] of [...instants].filter((_, index) => index % 7 === 0)) {
        const since: Criterion = { kind: 'since', at }
        const noSuch: Criterion = { kind: 'text', field: 'subject', value: 'no such subject' }
        const asked: readonly (readonly [Criterion, readonly string[]])[] = [
          [since, within(at, far[1])],
          [{ kind: 'before', at }, within(far[0], at)],
          [{ kind: 'not', of: since }, within(far[0], at)],
          [{ kind: 'or', of: [since, noSuch] }, within(at, far[1])],
          [{ kind: 'and', of: [since, { kind: 'not', of: noSuch }] }, within(at, far[1])],
          [{ kind: 'and', of: [since, { kind: 'not', of: { kind: 'attachment' } }] }, within(at, far[1])],
        ]
        for (const [criterion, keys] of asked) {
          const page = await mailbox.adapter.searchMessages({ criterion, folderIds }, pageOf(100), callFor())
          assert.deepEqual(page.messages.map(keyOf).sort(), keys, `${criterion.kind} ${at.toISOString()}`)
          const { count } = await mailbox.adapter.countMessages({ criterion, folderIds }, callFor())
          assert.equal(count, keys.length)
        }
      }
    })

    test('dates beyond the calendar of mail are no error', async () => {
      assert.equal((await found(mailbox, 'after:1900-01-01')).length, instants.size)
      assert.equal((await found(mailbox, 'before:1900-01-01')).length, 0)
      assert.equal((await found(mailbox, 'before:9999-12-31')).length, instants.size)
      assert.equal((await found(mailbox, 'after:9999-12-31')).length, 0)
    })
  })
}
