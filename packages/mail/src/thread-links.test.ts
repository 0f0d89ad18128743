import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeaderField } from './header.ts'
import { readThreadLinks } from './thread-links.ts'

function links(fields: Readonly<Record<string, string>>): ReturnType<typeof readThreadLinks> {
  return readThreadLinks(Object.entries(fields).map(([name, value]): HeaderField => ({ name, value })))
}

test('the chain is References, oldest first, and a parent that only In-Reply-To names comes last', () => {
  const own = { 'Message-ID': '<c@x>' }
  assert.deepEqual(links({ ...own, References: '<a@x> <b@x>', 'In-Reply-To': '<b@x>' }), {
    messageId: '<c@x>',
    chain: ['<a@x>', '<b@x>'],
  })
  assert.deepEqual(links({ ...own, References: '<a@x>', 'In-Reply-To': '<b@x>' }).chain, ['<a@x>', '<b@x>'])
  assert.deepEqual(links({ ...own, 'In-Reply-To': 'Your mail of Monday <b@x>' }).chain, ['<b@x>'])
  assert.deepEqual(links(own).chain, [])
})

test('ids are found without blanks between them, and among words', () => {
  assert.deepEqual(links({ References: '<a@x><b@x>,\t<c@x> (was: nothing)' }).chain, [
    '<a@x>',
    '<b@x>',
    '<c@x>',
  ])
})

test('a message does not answer itself, and an id that comes twice is one, the last its parent', () => {
  assert.deepEqual(links({ 'Message-ID': '<a@x>', References: '<a@x> <b@x> <a@x>' }).chain, ['<b@x>'])
  assert.deepEqual(links({ References: '<a@x> <b@x> <a@x>' }).chain, ['<b@x>', '<a@x>'])
})

test('what could not be asked of a server is no id: line ends, blanks, 8-bit octets, endless ones', () => {
  for (const bad of [
    '<a b@x>',
    '<a\r\nA1 LOGOUT\r\n@x>',
    '<\xe9@x>',
    '<\0@x>',
    '<>',
    `<${'a'.repeat(300)}@x>`,
    'a@x',
  ]) {
    assert.deepEqual(links({ 'Message-ID': bad, References: bad, 'In-Reply-To': bad }), {
      messageId: null,
      chain: [],
    })
  }
  assert.equal(links({ 'Message-ID': '<"quo\\"ted"@x>' }).messageId, '<"quo\\"ted"@x>')
})

test('of ten thousand ids the beginning and the end are kept', () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `<${n}@x.example>`)
  const { chain } = links({ References: ids.join(' ') })
  assert.equal(chain.length, 80)
  assert.deepEqual(
    [chain[0], chain[19], chain.at(-1)],
    ['<0@x.example>', '<19@x.example>', '<9999@x.example>'],
  )
})
