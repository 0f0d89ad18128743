import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alphaOf, isNear, parseColour, parseLength } from './css-values.ts'

test('colours of every spelling compare', () => {
  const white = parseColour('white')
  assert.ok(white !== null)
  for (const value of [
    '#fff',
    '#FEFEFE'.toLowerCase(),
    '#ffffffff',
    'rgb(255, 255, 255)',
    'rgb(100% 99% 100%)',
    'hsl(120,50%,99%)',
    'ivory',
    'fffffa',
  ]) {
    const colour = parseColour(value)
    assert.ok(colour !== null && isNear(colour, white), value)
  }
  for (const value of ['#eee', 'silver', 'rgb(230,255,255)', 'hsl(0,100%,50%)', 'tomato', '#000']) {
    const colour = parseColour(value)
    assert.ok(colour !== null && !isNear(colour, white), value)
  }
})

test('what is no colour is none', () => {
  for (const value of [
    'inherit',
    'var(--x)',
    'linear-gradient(red,red)',
    '#12345',
    '',
    'rgb(1)',
    '__proto__',
  ]) {
    assert.equal(parseColour(value), null, value)
  }
})

test('a name nobody knows equals only itself', () => {
  assert.ok(isNear('tomato', 'tomato'))
  assert.ok(!isNear('tomato', 'peru'))
})

test('transparency is seen through', () => {
  const alphas = ['transparent', 'rgba(1,2,3,0)', 'rgb(1 2 3 / 5%)', '#0000'].map((value) =>
    parseColour(value),
  )
  assert.deepEqual(
    alphas.map((colour) => colour !== null && alphaOf(colour) < 0.1),
    [true, true, true, true],
  )
})

test('lengths come in pixels', () => {
  const lengths = {
    '1px': 1,
    '3pt': 4,
    '0.5em': 8,
    '-9999px': -9_999,
    '.5': 0.5,
    '50%': 8,
    '0': 0,
    '-200vw': -2_400,
  }
  for (const [value, pixels] of Object.entries(lengths)) assert.equal(parseLength(value, 16), pixels, value)
  for (const value of ['auto', '', 'calc(1px)', '1 px', '1constructor', '1e9px', 'px']) {
    assert.equal(parseLength(value, 16), null, value)
  }
})
