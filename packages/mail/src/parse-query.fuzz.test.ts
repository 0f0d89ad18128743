import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from './parse-query.ts'
import type { QueryNode } from './query-term.ts'

const pieces = [
  'from: subject: is:unread in: newer_than:3m after:2026/1/2 foo: OR AND NOT - ( ) { } " \\ \\" a amy : * me 5M'.split(
    ' ',
  ),
  [
    "'",
    ' ',
    '  ',
    '\u4f1a\u8bae',
    '\u{1F600}',
    '\ud83d',
    '\n',
    '\u0000',
    '\u202e',
    '__proto__',
    'x'.repeat(40),
  ],
].flat()

/** Deterministic pseudo-random numbers (mulberry32), so that a failure can be repeated from its seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function checkNode(node: QueryNode, depth: number): void {
  assert.ok(depth <= 40, 'a tree is no deeper than its brackets allow')
  if (node.kind === 'and' || node.kind === 'or') {
    assert.ok(node.of.length > 1)
    for (const operand of node.of) checkNode(operand, depth + 1)
  } else if (node.kind === 'not') {
    checkNode(node.of, depth + 1)
  } else if (node.kind === 'text') {
    assert.doesNotMatch(node.value, /\p{Cc}/u)
    assert.notEqual(node.value, '')
  } else if (node.kind === 'since' || node.kind === 'before') {
    assert.ok(!Number.isNaN(node.at.getTime()))
  }
}

test('any text is either a criterion or a typed refusal with a position inside it', () => {
  const context = { now: new Date('2026-11-03T12:00:00Z'), timezone: 'Europe/Berlin' }
  for (let seed = 1; seed <= 20_000; seed++) {
    const random = randomFrom(seed)
    const query = Array.from(
      { length: Math.floor(random() * 30) },
      () => pieces[Math.floor(random() * pieces.length)] ?? '',
    ).join('')
    try {
      checkNode(parseQuery(query, context).criterion, 0)
    } catch (error) {
      if (!(error instanceof Fault)) throw new Error(`seed ${seed}`, { cause: error })
      assert.match(error.code, /^query_(syntax|unsupported|too_broad)$/, `seed ${seed}`)
      const { position } = error.details
      if (typeof position === 'number') assert.ok(position <= Array.from(query).length, `seed ${seed}`)
    }
  }
})

test('a quoted text comes back as it was, whatever it contains', () => {
  const context = { now: new Date(), timezone: 'UTC' }
  for (let seed = 1; seed <= 2000; seed++) {
    const random = randomFrom(seed)
    const length = 1 + Math.floor(random() * 12)
    const text = `a${Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)] ?? '').join('')}`
    if (/\p{Cc}/u.test(text)) continue
    const { criterion } = parseQuery(`subject:"${text.replace(/["\\]/g, '\\$&')}"`, context)
    assert.deepEqual(criterion, { kind: 'text', field: 'subject', value: text }, `seed ${seed}`)
  }
})

test('the worst queries of full length are read in no time', () => {
  const context = { now: new Date(), timezone: 'UTC' }
  const started = performance.now()
  for (const unit of ['"\\', '((', '{-', "a:'", '-', 'a:', 'OR ', "'", '\\"', '\u0130:', 'a'.repeat(31)]) {
    const query = unit.repeat(Math.floor(1000 / unit.length))
    try {
      parseQuery(query, context)
    } catch (error) {
      assert.ok(error instanceof Fault)
    }
  }
  assert.ok(performance.now() - started < 500)
})
