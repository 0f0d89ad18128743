import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentIdOf, describePart, dispositionOf, filenameOf, mediaType } from './describe-part.ts'

function describe(fields: Readonly<Record<string, string>>): ReturnType<typeof describePart> {
  const list = Object.entries(fields).map(([name, value]) => ({ name, value }))
  return describePart(list, 'message/rfc822', null)
}

test('a part without a Content-Type has the default of its place, one that cannot be read is plain text', () => {
  assert.equal(describe({}).type, 'message/rfc822')
  for (const value of ['text', '', 'text/', '/plain', 'a b/c', 'text/plain/x']) {
    assert.equal(mediaType(value), null, value)
  }
  assert.equal(describe({ 'content-type': 'nonsense' }).type, 'text/plain')
})

test('a disposition that is not inline is an attachment, a missing one is nothing', () => {
  assert.deepEqual(['INLINE', 'attachment', 'form-data', ''].map(dispositionOf), [
    'inline',
    'attachment',
    'attachment',
    null,
  ])
})

test('the file name of the disposition beats the name of the type; an empty name is none', () => {
  const map = (name: string, value: string): ReadonlyMap<string, string> => new Map([[name, value]])
  assert.equal(filenameOf(map('filename', 'a'), map('name', 'b')), 'a')
  assert.equal(filenameOf(map('filename', ''), map('name', 'b')), 'b')
  assert.equal(filenameOf(new Map(), map('name', '')), null)
})

test('the encoding is one lower-case token, 7bit when absent', () => {
  assert.equal(describe({ 'Content-Transfer-Encoding': 'Base64 (words)' }).encoding, 'base64')
  assert.equal(describe({}).encoding, '7bit')
})

test('a Content-ID is without its brackets', () => {
  assert.deepEqual([' <a@b> ', 'a@b', '<>', null].map(contentIdOf), ['a@b', 'a@b', null, null])
})
