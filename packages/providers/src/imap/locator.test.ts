import { maxLocatorBytes, type HeaderField } from '@postern/mail'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameMessage } from './is-same-message.ts'
import { folderDigest, identitiesOf, noIdentity, packLocator, unpackLocator, type Place } from './locator.ts'

const headers = (fields: Readonly<Record<string, string>>): readonly HeaderField[] =>
  Object.entries(fields).map(([name, value]) => ({ name, value }))

const traits = (
  fields: Readonly<Record<string, string>>,
  more: { emailId?: string; sizeBytes?: number; isCut?: boolean } = {},
) => ({
  emailId: null,
  sizeBytes: 100,
  isCut: false,
  ...more,
  headers: headers(fields),
})

const place: Place = {
  folder: folderDigest('INBOX'),
  uidValidity: 4_294_967_295,
  uid: 4_294_967_295,
  receivedSeconds: 1_764_547_200,
  identity: 'a1b2c3d4e5f60718',
}

describe('a locator', () => {
  test('is of one length, and says where the message was', () => {
    const locator = packLocator(place)
    assert.equal(locator.length, maxLocatorBytes)
    assert.deepEqual(unpackLocator({ locator }), place)
  })

  test('of another length is nobody\u2019s', () => {
    for (const length of [0, 25, 27]) assert.equal(unpackLocator({ locator: new Uint8Array(length) }), null)
  })

  test('bears dates before 1970 and after 2106', () => {
    for (const [seconds, kept] of [
      [-5, 0],
      [5e9, 4_294_967_295],
    ] as const) {
      const locator = packLocator({ ...place, receivedSeconds: seconds })
      assert.equal(unpackLocator({ locator })?.receivedSeconds, kept)
    }
  })

  test('names INBOX alike in every case, and a folder alike in both spellings', () => {
    assert.equal(folderDigest('inbox'), folderDigest('INBOX'))
    assert.equal(folderDigest('Entw&APw-rfe'), folderDigest('Entw\u00fcrfe'))
    assert.notEqual(folderDigest('Inbox2'), folderDigest('INBOX'))
  })
})

describe('an identity', () => {
  test('is the best that there is, and stays findable when a better one appears', () => {
    const before = identitiesOf(traits({ 'Message-ID': '<a@x>' }))
    const after = identitiesOf(traits({ 'Message-ID': ' <a@x> ' }, { emailId: 'M1' }))
    assert.equal(before.length, 1)
    assert.equal(after.length, 2)
    assert.equal(after[1], before[0])
    assert.notEqual(after[0], before[0])
  })

  test('without a Message-ID is made of sender, date, subject and size', () => {
    const of = (subject: string, sizeBytes: number): string | undefined =>
      identitiesOf(traits({ From: 'a@x', Subject: subject }, { sizeBytes }))[0]
    assert.equal(of('s', 1), of('s', 1))
    assert.notEqual(of('s', 1), of('s', 2))
    assert.notEqual(of('s', 1), of('t', 1))
  })

  test('is not made of a header that was cut off', () => {
    assert.deepEqual(identitiesOf(traits({ From: 'a@x' }, { isCut: true })), [])
  })
})

describe('what lies at an address', () => {
  const seen = (identities: readonly string[], more: { isCut?: boolean; receivedSeconds?: number } = {}) => ({
    identities,
    isCut: more.isCut ?? false,
    place: { ...place, receivedSeconds: more.receivedSeconds ?? place.receivedSeconds },
  })

  test('is the message when the identity agrees, whatever the date', () => {
    assert.ok(isSameMessage(place, seen([place.identity], { receivedSeconds: 1 })))
  })

  test('is not the message when the identity differs: a UID that was used again is never acted on', () => {
    assert.ok(!isSameMessage(place, seen(['ffffffffffffffff'])))
    assert.ok(!isSameMessage(place, seen([])))
  })

  test('is judged by its date where no identity can be had', () => {
    const nameless = { ...place, identity: noIdentity }
    assert.ok(isSameMessage(nameless, seen(['ffffffffffffffff'])))
    assert.ok(!isSameMessage(nameless, seen(['ffffffffffffffff'], { receivedSeconds: 1 })))
    assert.ok(isSameMessage(place, seen([], { isCut: true })))
    assert.ok(!isSameMessage(place, seen([], { isCut: true, receivedSeconds: 1 })))
  })
})
