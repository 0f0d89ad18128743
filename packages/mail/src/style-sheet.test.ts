import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readStyleSheet, type StyleSheet } from './style-sheet.ts'

function styleOf(sheet: StyleSheet, tag: string, id = '', classes: readonly string[] = []): string {
  return sheet
    .match(tag, id, classes)
    .map(({ name, value }) => `${name}:${value}`)
    .join(';')
}

describe('simple selectors', () => {
  test('match by tag, id, class and their compounds, without regard to case', () => {
    const sheet = readStyleSheet('P{color:red} .A.b{display:none} #X{opacity:0} td.c{width:0} *{height:0}')
    assert.equal(styleOf(sheet, 'p'), 'height:0;color:red')
    assert.equal(styleOf(sheet, 'i', '', ['b', 'a']), 'height:0;display:none')
    assert.equal(styleOf(sheet, 'i', '', ['a']), 'height:0')
    assert.equal(styleOf(sheet, 'i', 'x'), 'height:0;opacity:0')
    assert.equal(styleOf(sheet, 'td', '', ['c']), 'height:0;width:0')
    assert.equal(styleOf(sheet, 'th', '', ['c']), 'height:0')
  })
  test('come weakest first, later before earlier', () => {
    const sheet = readStyleSheet('#x{color:a} .c{color:b} p{color:d} .d{color:e} .c{color:f}')
    assert.equal(styleOf(sheet, 'p', 'x', ['c', 'd']), 'color:d;color:e;color:f;color:a')
  })
  test('hold in lists, behind comments and inside @media screen', () => {
    const sheet = readStyleSheet(
      '<!-- a, /* , */ b{color:x} @media only screen{.c{color:y}} @import "q"; .d{color:z} -->',
    )
    assert.deepEqual(
      ['a', 'b'].map((tag) => styleOf(sheet, tag)),
      ['color:x', 'color:x'],
    )
    assert.equal(styleOf(sheet, 'i', '', ['c']), 'color:y')
    assert.equal(styleOf(sheet, 'i', '', ['d']), 'color:z')
  })
  test('do not hold on screens of one kind only', () => {
    const sheet = readStyleSheet(
      '@media (max-width:600px){.m{display:none} .n{display:none}} @media print{p{color:x}}',
    )
    assert.equal(styleOf(sheet, 'p', '', ['m', 'n']), '')
  })
})

test('selectors with combinators are passed over, and what they may colour is known to be unknown', () => {
  const sheet = readStyleSheet('td .c{background:#000} a:hover{color:red} [data-ogsc] p{color:red}')
  assert.deepEqual([styleOf(sheet, 'td', '', ['c']), sheet.mayFill, sheet.mayColour], ['', true, false])
})

test('at most 500 rules count', () => {
  const sheet = readStyleSheet(Array.from({ length: 600 }, (_, index) => `.c${index}{color:red}`).join(''))
  assert.equal(styleOf(sheet, 'p', '', ['c499']), 'color:red')
  assert.equal(styleOf(sheet, 'p', '', ['c500']), '')
})

test('a hostile sheet costs no more than its length', () => {
  const start = performance.now()
  for (const piece of ['{', '}', 'a,', '@media screen{', 'a{', '/*', '.a', '.a{color:red}', ' ', '<!--']) {
    readStyleSheet(piece.repeat(50_000)).match('p', '', ['a'])
  }
  assert.ok(performance.now() - start < 20_000)
})
