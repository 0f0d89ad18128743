import type { Criterion } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileSearch } from './compile-search.ts'
import type { Argument } from './wire.ts'

const text = (value: string, field: 'from' | 'subject' | 'body' | 'text' = 'subject'): Criterion => ({
  kind: 'text',
  field,
  value,
})
const flagged: Criterion = { kind: 'flag', flag: 'flagged', isSet: true }

/** Arguments as a person writes them: `OR SUBJECT "a" (SEEN FLAGGED)`, a literal as `{octets}`. */
function show(argument: Argument): string {
  if (isList(argument)) return `(${argument.map(show).join(' ')})`
  if (argument.type === 'STRING') return JSON.stringify(argument.value)
  if (argument.type === 'LITERAL') return `{${Buffer.from(argument.value).toString('hex')}}`
  return String(argument.value)
}

function isList(argument: Argument): argument is readonly Argument[] {
  return Array.isArray(argument)
}

const compile = (criterion: Criterion, isUtf8 = false): string =>
  compileSearch(criterion, { isUtf8, ownAddresses: ['me@x.example', 'i@x.example'] })
    .keys.map(show)
    .join(' ')

test('check 76: groups become prefix operators, with brackets where one key has to be several', () => {
  const cases: readonly (readonly [Criterion, string])[] = [
    [{ kind: 'and', of: [text('a'), flagged] }, 'SUBJECT "a" FLAGGED'],
    [{ kind: 'or', of: [text('a'), flagged] }, 'OR SUBJECT "a" FLAGGED'],
    [
      { kind: 'or', of: [{ kind: 'and', of: [text('a'), flagged] }, text('b')] },
      'OR (SUBJECT "a" FLAGGED) SUBJECT "b"',
    ],
    [{ kind: 'or', of: [text('a'), text('b'), text('c')] }, 'OR OR SUBJECT "a" SUBJECT "b" SUBJECT "c"'],
    [{ kind: 'or', of: [{ kind: 'and', of: [text('a'), flagged] }] }, '(SUBJECT "a" FLAGGED)'],
    [{ kind: 'not', of: { kind: 'and', of: [text('a'), flagged] } }, 'NOT (SUBJECT "a" FLAGGED)'],
    [{ kind: 'not', of: { kind: 'or', of: [text('a'), flagged] } }, 'NOT OR SUBJECT "a" FLAGGED'],
    [{ kind: 'not', of: { kind: 'not', of: flagged } }, 'NOT NOT FLAGGED'],
    [{ kind: 'and', of: [] }, 'ALL'],
    [{ kind: 'or', of: [] }, 'NOT ALL'],
    [
      { kind: 'and', of: [flagged, { kind: 'and', of: [text('a'), text('b')] }] },
      'FLAGGED SUBJECT "a" SUBJECT "b"',
    ],
  ]
  for (const [criterion, keys] of cases) assert.equal(compile(criterion), keys)
})

test('fifty terms joined by OR nest no deeper than their logarithm', () => {
  const of = Array.from({ length: 50 }, (_, index) => text(String(index)))
  const deepest = Math.max(
    ...compile({ kind: 'or', of })
      .split('SUBJECT')
      .map((part) => part.split('OR').length),
  )
  assert.ok(deepest <= 8)
})

test('every leaf has its key', () => {
  const cases: readonly (readonly [Criterion, string])[] = [
    [text('a', 'from'), 'FROM "a"'],
    [text('a', 'body'), 'BODY "a"'],
    [text('a', 'text'), 'TEXT "a"'],
    [{ kind: 'owner', field: 'to' }, 'OR TO "me@x.example" TO "i@x.example"'],
    [{ kind: 'header', name: 'message-id', value: 'a@b' }, 'HEADER Message-ID "a@b"'],
    [{ kind: 'header', name: 'list-id', value: 'l' }, 'HEADER List-Id "l"'],
    [{ kind: 'header', name: 'delivered-to', value: 'd' }, 'HEADER Delivered-To "d"'],
    [{ kind: 'flag', flag: 'seen', isSet: false }, 'UNSEEN'],
    [{ kind: 'flag', flag: 'answered', isSet: true }, 'ANSWERED'],
    [{ kind: 'keyword', keyword: '$Forwarded' }, 'KEYWORD $Forwarded'],
    [{ kind: 'larger', bytes: 1_000_000_000 }, 'LARGER 1000000000'],
    [{ kind: 'smaller', bytes: 1 }, 'SMALLER 1'],
    [{ kind: 'since', at: new Date('2026-02-01T00:00:00Z') }, 'SINCE 1-Feb-2026'],
    [{ kind: 'before', at: new Date('2026-12-31T00:00:00Z') }, 'BEFORE 31-Dec-2026'],
    [{ kind: 'all' }, 'ALL'],
    [{ kind: 'none' }, 'NOT ALL'],
  ]
  for (const [criterion, keys] of cases) assert.equal(compile(criterion), keys)
  const nobody = compileSearch({ kind: 'owner', field: 'from' }, { isUtf8: false, ownAddresses: [] })
  assert.equal(nobody.keys.map(show).join(' '), 'NOT ALL')
})

test('check 72: text beyond ASCII is a UTF-8 literal that needs CHARSET, and after UTF8=ACCEPT a string that must not have one', () => {
  const wide = text('\u4f1a\u8bae')
  assert.equal(compile(wide), 'SUBJECT {e4bc9ae8aeae}')
  assert.equal(compileSearch(wide, { isUtf8: false, ownAddresses: [] }).needsCharset, true)
  assert.equal(compile(wide, true), 'SUBJECT "\u4f1a\u8bae"')
  assert.equal(compileSearch(wide, { isUtf8: true, ownAddresses: [] }).needsCharset, false)
  assert.equal(compileSearch(text('plain'), { isUtf8: false, ownAddresses: [] }).needsCharset, false)
})

test('check 79: no value leaves its string, whatever it holds', () => {
  for (const value of [
    '" OR ALL "',
    'a\\',
    '{3}\r\nabc',
    'x\r\nA1 LOGOUT',
    '\u0000',
    '(',
    ')',
    '%',
    '*',
    ' ',
  ]) {
    for (const isUtf8 of [false, true]) {
      const [key, string, ...rest] = compileSearch(text(value), { isUtf8, ownAddresses: [] }).keys
      assert.ok(key !== undefined && string !== undefined && !isList(string))
      assert.deepEqual(rest, [])
      assert.ok(string.type === 'STRING' || string.type === 'LITERAL')
      assert.doesNotMatch(String(string.value), /[\r\n\0]/)
    }
  }
})

test('check 79: a keyword that is no atom is refused, not sent', () => {
  for (const keyword of ['a b', 'a)', '\\Seen', 'a"', 'x\r\nA1', '', '\u00e4', '*', 'a]']) {
    assert.throws(() => compile({ kind: 'keyword', keyword }), TypeError)
  }
})

test('what a server cannot decide is never compiled', () => {
  const local: readonly Criterion[] = [
    { kind: 'attachment' },
    { kind: 'filename', value: 'a' },
    { kind: 'folder', folderId: 'INBOX' },
  ]
  for (const criterion of local) assert.throws(() => compile(criterion), TypeError)
})
