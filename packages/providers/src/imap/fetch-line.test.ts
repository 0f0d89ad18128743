import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FetchedItems, parseInternalDate } from './fetch-line.ts'
import type { Line, Token } from './wire.ts'

const atom = (value: string): Token => ({ type: 'ATOM', value })
const line = (number: number | null, fields: readonly Token[], keyword = 'FETCH'): Line => ({
  keyword,
  number,
  tokens: [fields],
  numbers: null,
})

const asked = (...numbers: readonly number[]): FetchedItems => new FetchedItems({ by: 'uid', numbers })
const expunge = (number: number): Line => ({ keyword: 'EXPUNGE', number, tokens: [], numbers: null })
const uid = (number: number): readonly Token[] => [atom('UID'), atom(`${number}`)]

describe('FETCH lines', () => {
  test('about one message are gathered, in whatever order they come', () => {
    const items = asked(40, 50)
    items.add(line(4, [atom('FLAGS'), [atom('\\Seen')]]))
    items.add(line(5, [atom('UID'), atom('50')]))
    items.add(line(4, [atom('UID'), atom('40'), atom('RFC822.SIZE'), atom('5000000000')]))
    const [first, second] = items.list()
    assert.deepEqual([first?.uid, first?.flags, first?.sizeBytes], [40, ['\\Seen'], 5_000_000_000])
    assert.deepEqual([second?.uid, second?.flags], [50, null])
  })

  test('that say nonsense leave the field unknown', () => {
    const items = asked(9)
    items.add(line(1, [atom('UID'), atom('0'), atom('INTERNALDATE'), null, atom('RFC822.SIZE'), atom('x')]))
    items.add(line(1, [null, atom('x'), [atom('UID')], atom('7'), atom('FLAGS'), atom('x'), atom('ODD')]))
    items.add(line(null, [atom('UID'), atom('9')]))
    items.add(line(0, [atom('UID'), atom('9')]))
    items.add({ keyword: 'FETCH', number: 2, tokens: [], numbers: null })
    const [item, ...others] = items.list()
    assert.deepEqual(others, [])
    assert.deepEqual([item?.uid, item?.internalDate, item?.sizeBytes, item?.flags], [null, null, null, null])
  })

  test('are taken back by an EXPUNGE behind them, and the others move up', () => {
    const items = asked(30, 40, 70)
    for (const number of [3, 4, 7]) items.add(line(number, uid(number * 10)))
    items.add(expunge(4))
    assert.deepEqual(
      items.list().map(({ sequence, uid }) => [sequence, uid]),
      [
        [3, 30],
        [6, 70],
      ],
    )
  })

  test('of messages nobody asked for leave nothing behind, and hide none of the others', () => {
    const items = asked(7)
    for (let number = 1; number <= 10_000; number += 1) items.add(line(number, [atom('FLAGS'), []]))
    for (let number = 1; number <= 10_000; number += 1) items.add(line(10_000 + number, uid(10_000 + number)))
    items.add(line(30_000, uid(7)))
    assert.ok(items.list().length < 200)
    assert.equal(items.list().at(-1)?.uid, 7)
    const bySequence = new FetchedItems({ by: 'sequence', numbers: [3] })
    for (const number of [2, 3, 4]) bySequence.add(line(number, uid(number)))
    assert.deepEqual(
      bySequence.list().map(({ sequence }) => sequence),
      [3],
    )
  })

  test('in a storm cost as little as each by itself', () => {
    const numbers = Array.from({ length: 500 }, (_, index) => 200_000 + index)
    const items = asked(...numbers)
    const startedAt = performance.now()
    for (const number of numbers) items.add(line(number, uid(number)))
    for (let number = 100_000; number > 0; number -= 1) {
      items.add(line(number, uid(number)))
      items.add(expunge(1))
    }
    assert.deepEqual([items.list().length, items.list()[0]?.sequence], [500, 100_000])
    assert.ok(performance.now() - startedAt < 5_000)
  })

  test('tell sections apart by their number', () => {
    const items = asked(1)
    const body = (section: readonly Token[], value: string | null): readonly Token[] => [
      { type: 'ATOM', value: 'BODY', section, partial: [0] },
      value === null ? null : { type: 'LITERAL', value: Buffer.from(value) },
    ]
    items.add(line(1, [...body([atom('1.2')], 'part'), ...body([], 'whole'), ...body([atom('9')], null)]))
    items.add(line(1, body([atom('HEADER.FIELDS'), [atom('Subject')]], 'Subject: x')))
    const [item] = items.list()
    const said = [...(item?.sections ?? [])].map(([name, octets]) => [name, Buffer.from(octets).toString()])
    assert.deepEqual(said, [
      ['1.2', 'part'],
      ['', 'whole'],
    ])
    assert.equal(Buffer.from(item?.headers ?? []).toString(), 'Subject: x')
  })

  test('bring words of a server that speaks the draft of PREVIEW as well', () => {
    const preview = (value: Token): string | null => {
      const items = asked(1)
      items.add(line(1, [atom('PREVIEW'), value]))
      return items.list()[0]?.preview ?? null
    }
    assert.equal(preview({ type: 'STRING', value: 'words' }), 'words')
    assert.equal(preview([atom('FUZZY'), { type: 'STRING', value: 'words' }]), 'words')
    assert.equal(preview(null), null)
  })
})

test('internal dates are read with their zone, and nonsense is no date', () => {
  const cases = [
    ['17-Jul-1996 02:44:25 -0700', '1996-07-17T09:44:25.000Z'],
    [' 1-Jan-2026 00:00:00 +0530', '2025-12-31T18:30:00.000Z'],
    ['1-jan-2026 00:00:00 +0000', '2026-01-01T00:00:00.000Z'],
    ['01-Feb-2026 10:00:00', '2026-02-01T10:00:00.000Z'],
  ] as const
  for (const [text, iso] of cases) assert.equal(parseInternalDate(text)?.toISOString(), iso)
  for (const text of [null, '', 'NIL', '17-Foo-1996 02:44:25 -0700', '1996-07-17', '17-Jul-1996']) {
    assert.equal(parseInternalDate(text), null)
  }
})
