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

describe('FETCH lines', () => {
  test('about one message are gathered, in whatever order they come', () => {
    const items = new FetchedItems()
    items.add(line(4, [atom('FLAGS'), [atom('\\Seen')]]))
    items.add(line(5, [atom('UID'), atom('50')]))
    items.add(line(4, [atom('UID'), atom('40'), atom('RFC822.SIZE'), atom('5000000000')]))
    const [first, second] = items.list()
    assert.deepEqual([first?.uid, first?.flags, first?.sizeBytes], [40, ['\\Seen'], 5_000_000_000])
    assert.deepEqual([second?.uid, second?.flags], [50, null])
  })

  test('that say nonsense leave the field unknown', () => {
    const items = new FetchedItems()
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
    const items = new FetchedItems()
    for (const number of [3, 4, 7]) items.add(line(number, [atom('UID'), atom(`${number}0`)]))
    items.add({ keyword: 'EXPUNGE', number: 4, tokens: [], numbers: null })
    assert.deepEqual(
      items.list().map(({ sequence, uid }) => [sequence, uid]),
      [
        [3, 30],
        [6, 70],
      ],
    )
  })

  test('tell sections apart by their number', () => {
    const items = new FetchedItems()
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
      const items = new FetchedItems()
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
