import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import { createKeyRing, generateKey } from './key-ring.ts'

const oldKey = generateKey()
const newKey = generateKey()
const data = Buffer.from('what is signed')

function problemsOf(text: string): unknown {
  try {
    createKeyRing(text)
  } catch (error) {
    assert.ok(error instanceof Fault)
    return error.details['problems']
  }
  return []
}

test('a signature of the old key verifies after a new key was put in front', () => {
  const mac = createKeyRing(oldKey).signer('cursors').sign(data)
  const rotated = createKeyRing(`${newKey},${oldKey}`).signer('cursors')
  assert.equal(rotated.verifies(data, mac), true)
  assert.notDeepEqual(rotated.sign(data), mac)
})

test('a signature of a dropped key does not verify', () => {
  const mac = createKeyRing(oldKey).signer('cursors').sign(data)
  assert.equal(createKeyRing(newKey).signer('cursors').verifies(data, mac), false)
})

test('a signature for one purpose does not verify for another', () => {
  const ring = createKeyRing(newKey)
  assert.equal(ring.signer('ids').verifies(data, ring.signer('cursors').sign(data)), false)
})

test('a cut signature verifies down to ten octets and never below', () => {
  const signer = createKeyRing(newKey).signer('ids')
  const mac = signer.sign(data)
  assert.equal(mac.length, 32)
  assert.equal(signer.verifies(data, mac.subarray(0, 10)), true)
  assert.equal(signer.verifies(data, mac.subarray(0, 9)), false)
  assert.equal(signer.verifies(data, new Uint8Array(0)), false)
  assert.equal(signer.verifies(data, Buffer.concat([mac, Uint8Array.of(0)])), false)
})

test('changed data does not verify', () => {
  const signer = createKeyRing(newKey).signer('ids')
  assert.equal(signer.verifies(Buffer.from('what is signeD'), signer.sign(data)), false)
})

test('the first key is the current one and an unknown id has no hash', () => {
  const ring = createKeyRing(`${newKey}, ${oldKey}`)
  assert.equal(ring.currentKeyId, newKey.split(':')[0])
  assert.equal(ring.hmac('key-pepper', 'elsewhere', data), null)
  assert.equal(ring.hmac('key-pepper', ring.currentKeyId, data)?.length, 32)
})

test('every problem of a list is named at once', () => {
  const zeros = `zeros:${Buffer.alloc(32).toString('base64')}`
  const short = `short:${Buffer.alloc(31, 7).toString('base64')}`
  assert.deepEqual(problemsOf(`nocolon,b@d:x,${short},${zeros},${oldKey},${oldKey}`), [
    'key 1 has no id',
    'key 2 has an id of other than 1 to 32 letters, digits, dots or dashes',
    'key 3 (short) is not 32 octets in base64',
    'key 4 (zeros) is not random',
    `key 6 has the id of an earlier one (${oldKey.split(':')[0] ?? ''})`,
  ])
  assert.deepEqual(problemsOf(' , '), ['there is no key'])
  assert.deepEqual(problemsOf(Array.from({ length: 17 }, generateKey).join(',')), [
    'there are more than 16 keys',
  ])
})

test('one key under two ids is refused', () => {
  const secret = oldKey.split(':')[1] ?? ''
  assert.deepEqual(problemsOf(`a:${secret},b:${secret}`), [
    'key 2 (b) repeats an earlier key under another id',
  ])
})

test('no text of a refusal and no view of a ring shows a key', () => {
  const secret = oldKey.split(':')[1] ?? ''
  const ring = createKeyRing(oldKey)
  assert.equal(inspect(ring, { depth: 9, showHidden: true }).includes(secret), false)
  assert.equal(JSON.stringify(ring).includes(secret), false)
  for (const text of [secret, `bad id:${secret}`, `a:${secret}x`, `${oldKey},${oldKey}`]) {
    assert.throws(
      () => createKeyRing(text),
      (error: unknown) => error instanceof Fault && !inspect(error).includes(secret.slice(0, 12)),
    )
  }
})
