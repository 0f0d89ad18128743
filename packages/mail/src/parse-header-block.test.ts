import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHeaderBlock } from './parse-header-block.ts'

function read(text: string): [(readonly [string, string])[], string] {
  const octets = Buffer.from(text, 'latin1')
  const { fields, bodyStart } = parseHeaderBlock(octets)
  return [fields.map(({ name, value }) => [name, value] as const), text.slice(bodyStart)]
}

test('names are as written, values unfolded and trimmed, octets kept', () => {
  assert.deepEqual(read('Subject:  a\r\n b\r\n\tc \r\nX-\xe9: y\r\nFrom:\xa0z\xa0\r\n\r\nbody'), [
    [
      ['Subject', 'a b\tc'],
      ['From', '\xa0z\xa0'],
    ],
    'body',
  ])
})

test('fields in any line ending, with white space before the colon, with and without values', () => {
  assert.deepEqual(read('A:\nB : x\n\nbody'), [
    [
      ['A', ''],
      ['B', 'x'],
    ],
    'body',
  ])
  assert.deepEqual(read('A: x\r\n'), [[['A', 'x']], ''])
  assert.deepEqual(read('A: x'), [[['A', 'x']], ''])
  assert.deepEqual(read('\r\nbody'), [[], 'body'])
  assert.deepEqual(read(''), [[], ''])
})

test('names that mean something to a language are names', () => {
  assert.deepEqual(read('__proto__: 1\r\nConstructor: 2\r\n\r\n')[0], [
    ['__proto__', '1'],
    ['Constructor', '2'],
  ])
})

test('a stray line is passed over when fields go on, and is body when they do not', () => {
  assert.deepEqual(read('A: 1\nstray line\nB: 2\n\nbody'), [
    [
      ['A', '1'],
      ['B', '2'],
    ],
    'body',
  ])
  assert.deepEqual(read('A: 1\nHello Amy,\nit was fine.\n'), [[['A', '1']], 'Hello Amy,\nit was fine.\n'])
  assert.deepEqual(read(' folded into nothing\nA: 1\n\nbody'), [[['A', '1']], 'body'])
})

test('a delimiter ends a block that has no blank line', () => {
  const octets = Buffer.from('A: 1\n--b\nB: 2\n\n')
  const asked: number[] = []
  const isDelimiter = (line: number): boolean => asked.push(line) > 0
  const { fields, bodyStart } = parseHeaderBlock(octets, 0, isDelimiter)
  assert.deepEqual([fields.length, bodyStart, asked], [1, 5, [5]])
})

test('a giant field is cut, giant blocks keep a bounded number of fields, and the body is still found', () => {
  const { fields, bodyStart } = parseHeaderBlock(
    Buffer.from(`A: ${'x'.repeat(3_000_000)}\r\nB: y\r\n\r\nbody`),
  )
  assert.equal(bodyStart, 3_000_000 + 'A: \r\nB: y\r\n\r\n'.length)
  assert.ok((fields[0]?.value.length ?? 0) <= 256 * 1024)
  const many = parseHeaderBlock(Buffer.from(`${'a:\n'.repeat(100_000)}\nbody`))
  assert.deepEqual([many.fields.length, many.bodyStart], [10_000, 300_001])
})
