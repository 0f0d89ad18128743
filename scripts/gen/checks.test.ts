import assert from 'node:assert/strict'
import test from 'node:test'
import { numbersIn, testTitles } from './checks.ts'

test('a title names checks one by one, in a list and as a range', () => {
  assert.deepEqual(numbersIn('check 7: the call over the limit is refused'), [7])
  assert.deepEqual(numbersIn('checks 9, 10 and 12 of the list'), [9, 10, 12])
  assert.deepEqual(numbersIn('checks 86-88: windows'), [86, 87, 88])
  assert.deepEqual(numbersIn('check 5 and later check 8'), [5, 8])
})

test('a title without the word names no check, whatever numbers it holds', () => {
  assert.deepEqual(numbersIn('a list of 20 rows from 3 folders'), [])
  assert.deepEqual(numbersIn('the check of a key'), [])
})

test('titles are found in every kind of quote and call, and nowhere else', () => {
  const source = [
    `test('one', () => {})`,
    `it("two's", async () => {})`,
    'describe(`${name}: three`, () => {})',
    `ruleTester.run(\n  'four', rule, {})`,
    `const text = 'five'`,
    `test(name, () => {})`,
  ].join('\n')
  assert.deepEqual(testTitles(source), ['one', `two's`, '${name}: three', 'four'])
})
