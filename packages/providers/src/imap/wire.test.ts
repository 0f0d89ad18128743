import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyPeek, isList, text, tokenNumber, tokenOctets, tokenText, type Token } from './wire.ts'

test('a string is quoted where that can carry it, else it is a literal: no value ends its command', () => {
  assert.equal(text('INBOX', false).type, 'STRING')
  assert.equal(text('Say "hi" \\', false).type, 'STRING')
  for (const value of ['a\r\nA1 LOGOUT', 'a\nb', 'a\0b']) {
    for (const isUtf8 of [false, true]) assert.equal(text(value, isUtf8).type, 'LITERAL')
  }
  assert.deepEqual(text('\u4f1a', false), { type: 'LITERAL', value: Buffer.from('\u4f1a') })
  assert.equal(text('\u4f1a', true).type, 'STRING')
})

test('what is read of a message is always read by PEEK', () => {
  assert.equal(bodyPeek([], null).value, 'BODY.PEEK')
  assert.deepEqual(bodyPeek([], [0, 10]).partial, [0, 10])
})

test('tokens of the wrong kind are nothing, never an error', () => {
  const nothing: readonly (Token | undefined)[] = [undefined, null, [], [null]]
  for (const token of nothing) {
    assert.deepEqual([tokenText(token), tokenOctets(token), tokenNumber(token)], [null, null, null])
  }
  const number = (value: string): number | null => tokenNumber({ type: 'ATOM', value })
  assert.deepEqual(['0', '4294967295', '4294967296', '99999999999', '-1', '1.5', '', 'x'].map(number), [
    0,
    4_294_967_295,
    null,
    null,
    null,
    null,
    null,
    null,
  ])
  assert.equal(isList([]), true)
  assert.equal(isList(null), false)
})
