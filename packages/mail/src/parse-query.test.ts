import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery, type ParsedQuery } from './parse-query.ts'
import type { QueryNode } from './query-term.ts'

const now = new Date('2026-11-03T12:00:00Z')
const parse = (query: string, timezone = 'Europe/Berlin'): ParsedQuery => parseQuery(query, { now, timezone })

const refusal = (query: string): Fault => {
  try {
    parse(query)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  return assert.fail(`${query} was accepted`)
}

/** A criterion in one line: `and(text:a, or(from:b, not(attachment)))`. */
function show(node: QueryNode): string {
  switch (node.kind) {
    case 'and':
    case 'or':
      return `${node.kind}(${node.of.map(show).join(', ')})`
    case 'not':
      return `not(${show(node.of)})`
    case 'text':
      return `${node.field}:${node.value}`
    case 'owner':
      return `owner:${node.field}`
    case 'header':
      return `${node.name}:${node.value}`
    case 'flag':
      return `${node.isSet ? '' : 'un'}${node.flag}`
    case 'place':
      return `${node.operator}:${node.name}`
    case 'larger':
    case 'smaller':
      return `${node.kind}:${node.bytes}`
    case 'since':
    case 'before':
      return `${node.kind}:${node.at.toISOString()}`
    case 'filename':
      return `filename:${node.value}`
    case 'keyword':
      return `keyword:${node.keyword}`
    case 'folder':
      return `folder:${node.folderId}`
    case 'all':
    case 'none':
    case 'attachment':
      return node.kind
  }
}

const expect = (cases: readonly (readonly [string, string])[]): void => {
  for (const [query, shown] of cases) assert.equal(show(parse(query).criterion), shown, query)
}

test('check 77: OR binds tighter than adjacency', () => {
  expect([
    ['a b OR c', 'and(text:a, or(text:b, text:c))'],
    ['a OR b c OR d e', 'and(or(text:a, text:b), or(text:c, text:d), text:e)'],
    ['a AND b OR c', 'and(text:a, or(text:b, text:c))'],
    ['(a b) OR c', 'or(and(text:a, text:b), text:c)'],
  ])
})

test('check 76: groups, braces, negation and fields nest', () => {
  expect([
    [
      'from:(amy OR david) -has:attachment subject:"a b"',
      'and(or(from:amy, from:david), not(attachment), subject:a b)',
    ],
    ['{a b c}', 'or(text:a, text:b, text:c)'],
    ['-{a b}', 'not(or(text:a, text:b))'],
    ['NOT a', 'not(text:a)'],
    ['--a', 'text:a'],
    ['-(a OR -b)', 'not(or(text:a, not(text:b)))'],
    ['from:{amy "david j"}', 'or(from:amy, from:david j)'],
    ['subject:(a -b)', 'and(subject:a, not(subject:b))'],
    ['((((((((((a))))))))))', 'text:a'],
  ])
})

test('operators are recognised in any case, their words too, while OR, AND and NOT need capitals', () => {
  expect([
    ['FROM:amy Is:UNREAD', 'and(from:amy, unseen)'],
    ['a not b', 'and(text:a, text:not, text:b)'],
  ])
  assert.match(parse('a or b').notes[0] ?? '', /OR in capitals/)
})

test('every operator of the contract compiles', () => {
  expect([
    ['from:a to:b cc:c bcc:d subject:e body:f', 'and(from:a, to:b, cc:c, bcc:d, subject:e, body:f)'],
    ['from:me to:ME cc:me bcc:me', 'and(owner:from, owner:to, owner:cc, owner:bcc)'],
    ['from:"me" subject:me', 'and(from:me, subject:me)'],
    ['has:attachment filename:pdf', 'and(attachment, filename:pdf)'],
    ['is:unread OR is:read OR is:starred', 'or(unseen, seen, flagged)'],
    ['is:unstarred is:answered', 'and(unflagged, answered)'],
    ['in:inbox label:work', 'and(in:inbox, label:work)'],
    ['larger:5M smaller:10k size:7', 'and(larger:5242880, smaller:10240, larger:7)'],
    ['rfc822msgid:<a@b> list:l.x deliveredto:me@x', 'and(message-id:a@b, list-id:l.x, delivered-to:me@x)'],
    ['in:("a b" OR c)', 'or(in:a b, in:c)'],
  ])
})

test('check 73: dates of a query start in the inbox zone, year first, or are seconds', () => {
  expect([
    ['after:2026/3/29', 'since:2026-03-28T23:00:00.000Z'],
    ['newer:2026-03-30', 'since:2026-03-29T22:00:00.000Z'],
    ['before:2026/10/25', 'before:2026-10-24T22:00:00.000Z'],
    ['older:1700000000', 'before:2023-11-14T22:13:20.000Z'],
  ])
})

test('check 38: newer_than:5m is five months and says so; the other units need no note', () => {
  const months = parse('newer_than:5m')
  assert.equal(show(months.criterion), 'since:2026-06-03T11:00:00.000Z')
  assert.match(months.notes[0] ?? '', /5 months/)
  expect([
    ['older_than:36h', 'before:2026-11-02T00:00:00.000Z'],
    ['newer_than:2d', 'since:2026-11-01T12:00:00.000Z'],
    ['older_than:1y', 'before:2025-11-03T12:00:00.000Z'],
  ])
  assert.deepEqual(parse('newer_than:2d').notes, [])
})

test('in:anywhere matches everything and widens the scope', () => {
  const anywhere = parse('in:anywhere a')
  assert.equal(anywhere.isAnywhere, true)
  assert.equal(show(anywhere.criterion), 'and(all, text:a)')
  assert.equal(parse('a').isAnywhere, false)
})

test('check 79: what stands in quotes is text, whatever it looks like', () => {
  expect([
    ['"x) OR from:(y"', 'text:x) OR from:(y'],
    ['subject:"x) OR from:(y"', 'subject:x) OR from:(y'],
    ['"say \\"hi\\" \\\\ \\n"', 'text:say "hi" \\ \\n'],
    ['"from:amy" "OR" "-x"', 'and(text:from:amy, text:OR, text:-x)'],
    ["subject:'tis", "subject:'tis"],
    ['from:-x', 'from:-x'],
    ['12:30 x@y', 'and(text:12:30, text:x@y)'],
  ])
})

test('a value in apostrophes is read as the phrase that was meant, and noted', () => {
  const quoted = parse("subject:'a b' c")
  assert.equal(show(quoted.criterion), 'and(subject:a b, text:c)')
  assert.match(quoted.notes[0] ?? '', /double quotes/)
})

test('check 80: wildcards of other languages are literal', () => {
  expect([['50% a_b c* d.e', 'and(text:50%, text:a_b, text:c*, text:d.e)']])
})

test('check 78: what does not balance is query_syntax with its position', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['a "b', 2],
    ['subject:"b', 8],
    ['a (b', 2],
    ['a) b', 1],
    ['(a}', 2],
    ['{a', 0],
    ['()', 1],
    ['""', 0],
    ['OR a', 0],
    ['a OR', 4],
    ['a OR OR b', 5],
    ['a AND', 5],
    ['NOT', 3],
    ['-', 0],
    ['a - b', 2],
    ['from:', 5],
    ['from: amy', 5],
    ['{a AND b}', 3],
    [' ', 1],
    ['\u{1F600} (b', 2],
    ['(((((((((((a)))))))))))', 10],
    [`"${'x'.repeat(30)}`, 0],
  ]
  for (const [query, position] of cases) {
    const fault = refusal(query)
    assert.equal(fault.code, 'query_syntax', query)
    assert.equal(fault.details['position'], position, query)
  }
})

test('check 78: an unknown operator or value is query_unsupported with position, operator and what would work', () => {
  const cases: readonly (readonly [string, string, number, string])[] = [
    ['a foo:bar', 'foo', 2, '"foo:bar"'],
    ['https://x.example', 'https', 0, '"https://x.example"'],
    ['subjct:x', 'subjct', 0, 'subject:x'],
    ['sender:x', 'sender', 0, 'from:x'],
    ['is:flagged', 'is', 0, 'is:starred'],
    ['has:drive', 'has', 0, 'has:attachment'],
    ['larger:1G', 'larger', 0, 'larger:1M'],
    ['larger:0', 'larger', 0, 'larger:5M'],
    ['smaller:5000M', 'smaller', 0, 'smaller:500M'],
    ['after:11/03/2026', 'after', 0, 'after:2026/11/03'],
    ['after:2026/02/30', 'after', 0, 'after:2026/11/03'],
    ['newer_than:2w', 'newer_than', 0, 'newer_than:14d'],
    ['newer_than:101y', 'newer_than', 0, 'newer_than:7d'],
    ['from:(to:x)', 'to', 6, 'from:(...) to:(...)'],
    ['a AROUND 3 b', 'AROUND', 2, 'a AND b'],
  ]
  for (const [query, operator, position, nearest] of cases) {
    const fault = refusal(query)
    assert.equal(fault.code, 'query_unsupported', query)
    assert.deepEqual(
      [fault.details['operator'], fault.details['position'], fault.details['nearest']],
      [operator, position, nearest],
      query,
    )
  }
})

test('names of object methods are no operators', () => {
  for (const query of [
    'constructor:x',
    'toString:x',
    'hasOwnProperty:x',
    'is:constructor',
    'newer_than:1_',
  ]) {
    assert.equal(refusal(query).code, 'query_unsupported', query)
  }
})

test('limits: 1,000 characters, 50 terms, nesting 10', () => {
  assert.equal(refusal('x'.repeat(1001)).code, 'query_syntax')
  assert.equal(show(parse('\u{1F600}'.repeat(1000)).criterion).length, 'text:'.length + 2000)
  const terms = (count: number): string => Array.from({ length: count }, () => 'a').join(' ')
  assert.equal(parse(terms(50)).criterion.kind, 'and')
  const fault = refusal(terms(51))
  assert.equal(fault.code, 'query_too_broad')
  assert.deepEqual([fault.details['count'], fault.details['limit']], [51, 50])
})

test('control characters separate words and never reach a value', () => {
  expect([
    ['a\r\nb', 'and(text:a, text:b)'],
    ['"a\r\nb\u0000c"', 'text:a  b c'],
  ])
})
