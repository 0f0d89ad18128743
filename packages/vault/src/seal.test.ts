import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault, newUuid } from '@postern/core'
import { createKeyRing, generateKey } from './key-ring.ts'
import { rotate } from './rotate.ts'
import { open, seal, type SealContext } from './seal.ts'
import { sealedKeyId } from './sealed-key-id.ts'

const oldKey = generateKey()
const newKey = generateKey()
const ring = createKeyRing(oldKey)
const context: SealContext = { tenantId: newUuid(), inboxId: newUuid(), purpose: 'mail' }
const secret = Buffer.from('correct horse battery staple')

const refuses = (act: () => unknown): void => {
  assert.throws(
    act,
    (error: unknown) =>
      error instanceof Fault && error.code === 'internal_error' && !error.message.includes(secret.toString()),
  )
}

test('what was sealed opens in the same place, ids in any case', () => {
  const envelope = seal(ring, secret, context)
  const shouted = { ...context, tenantId: context.tenantId?.toUpperCase() ?? null }
  assert.deepEqual(Buffer.from(open(ring, envelope, shouted)), secret)
})

test('an empty secret and one of a megabyte come back whole', () => {
  for (const octets of [Buffer.alloc(0), Buffer.alloc(1 << 20, 3)]) {
    assert.deepEqual(Buffer.from(open(ring, seal(ring, octets, context), context)), octets)
  }
})

test('an envelope moved to another tenant, inbox or purpose does not open', () => {
  const envelope = seal(ring, secret, context)
  const elsewhere: readonly SealContext[] = [
    { ...context, tenantId: newUuid() },
    { ...context, inboxId: newUuid() },
    { ...context, inboxId: null },
    { ...context, purpose: 'smtp' },
    { tenantId: context.inboxId, inboxId: context.tenantId, purpose: 'mail' },
  ]
  for (const place of elsewhere) refuses(() => open(ring, envelope, place))
})

test('a change of any octet is noticed', () => {
  const envelope = seal(ring, secret, context)
  for (let index = 0; index < envelope.length; index += 1) {
    const damaged = Uint8Array.from(envelope)
    damaged[index] = (damaged[index] ?? 0) ^ 1
    refuses(() => open(ring, damaged, context))
  }
})

test('an envelope cut anywhere is refused', () => {
  const envelope = seal(ring, secret, context)
  for (let length = 0; length < envelope.length; length += 1) {
    refuses(() => open(ring, envelope.subarray(0, length), context))
  }
})

test('the payload of one envelope does not open under the data key of another', () => {
  const one = seal(ring, secret, context)
  const two = seal(ring, Buffer.from('another secret'), context)
  const headBytes = 2 + ring.currentKeyId.length + 60
  refuses(() => open(ring, Buffer.concat([one.subarray(0, headBytes), two.subarray(headBytes)]), context))
})

test('the same secret sealed twice gives envelopes that share nothing but their head', () => {
  const headBytes = 2 + ring.currentKeyId.length
  const [one, two] = [seal(ring, secret, context), seal(ring, secret, context)]
  assert.deepEqual(one.subarray(0, headBytes), two.subarray(0, headBytes))
  assert.notDeepEqual(one.subarray(headBytes, headBytes + 12), two.subarray(headBytes, headBytes + 12))
  assert.notDeepEqual(one.subarray(-secret.length), two.subarray(-secret.length))
})

test('rotation changes the wrapped key, leaves the payload octets alone, and is done once', () => {
  const both = createKeyRing(`${newKey},${oldKey}`)
  const envelope = seal(ring, secret, context)
  const rotated = rotate(both, envelope, context)
  assert.ok(rotated)
  assert.equal(sealedKeyId(envelope), ring.currentKeyId)
  assert.equal(sealedKeyId(rotated), both.currentKeyId)
  const payloadBytes = 28 + secret.length
  assert.deepEqual(rotated.subarray(-payloadBytes), envelope.subarray(-payloadBytes))
  assert.equal(rotate(both, rotated, context), null)
  assert.deepEqual(Buffer.from(open(createKeyRing(newKey), rotated, context)), secret)
})

test('after rotation the old key alone opens nothing, and rotation elsewhere is refused', () => {
  const both = createKeyRing(`${newKey},${oldKey}`)
  const envelope = seal(ring, secret, context)
  refuses(() => rotate(both, envelope, { ...context, tenantId: newUuid() }))
  const rotated = rotate(both, envelope, context)
  assert.ok(rotated)
  refuses(() => open(ring, rotated, context))
})
