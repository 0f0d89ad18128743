import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf, facts, fit, printable, table } from './layout.ts'

test('nothing a stranger wrote can move the cursor or turn the text around', () => {
  assert.equal(printable('a\u001b[31mb\u202ec\u0007\r\nd\u2028e'), 'a[31mbc\nde')
})

test('columns stand under each other, also with wide characters', () => {
  const shown = table(
    ['name', 'n'],
    [
      ['\u5c71\u7530', '1'],
      ['Jo', '22'],
    ],
  )
  assert.equal(shown, 'name  n\n\u5c71\u7530  1\nJo    22\n')
})

test('a cell never breaks its row', () => {
  assert.equal(table(['a'], [['x\ny']]), 'a\nx y\n')
})

test('what does not fit ends in dots and keeps to its columns', () => {
  assert.equal(fit('abcdefgh', 6), 'abc...')
  assert.ok(columnsOf(fit('\u5c71'.repeat(10), 9)) <= 9)
  assert.equal(fit('abc', 3), 'abc')
})

test('facts align their values', () => {
  assert.equal(
    facts([
      ['a', '1'],
      ['long', '2'],
    ]),
    'a     1\nlong  2\n',
  )
})
