import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeclarations } from './css.ts'

function read(block: string): Record<string, string> {
  return Object.fromEntries(parseDeclarations(block).map(({ name, value }) => [name, value]))
}

test('only what decides visibility is kept, in lower case', () => {
  assert.deepEqual(read('Color: RED; border: 1px; DISPLAY :None ;;x'), { color: 'red', display: 'none' })
})

test('comments and escapes hide nothing from us', () => {
  assert.deepEqual(read('d\\69 splay:no\\6e e/**/;/* x */opacity:/*y*/0;/* open'), {
    display: 'none',
    opacity: '0',
  })
})

test('semicolons inside quotes and brackets end nothing', () => {
  const block = 'background:url(data:image/png;base64,AA;color:red);font:"a;b" 0;display:none'
  assert.deepEqual(Object.keys(read(block)), ['background', 'font', 'display'])
})

test('important is a flag, not a value', () => {
  assert.deepEqual(parseDeclarations('display:none!important'), [
    { name: 'display', value: 'none', isImportant: true },
  ])
})

test('a hostile block costs no more than its length', () => {
  const start = performance.now()
  for (const piece of ['(', '"', "'", ';', ':', '/*', '\\', 'color:', '\\61 ']) {
    parseDeclarations(piece.repeat(200_000))
  }
  assert.ok(performance.now() - start < 20_000)
})
