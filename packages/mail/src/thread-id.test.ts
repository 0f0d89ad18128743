import { createHmac } from 'node:crypto'
import type { Signer } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameNativeThread, nameThread, openThreadId } from './thread-id.ts'
import type { Message } from './message.ts'

const sign = (data: Uint8Array): Uint8Array => createHmac('sha256', 'key').update(data).digest()
const signer: Signer = {
  sign,
  verifies: (data, mac) => Buffer.from(sign(data)).subarray(0, mac.length).equals(mac),
}
const oldest = { ref: { locator: Uint8Array.of(1, 2, 3, 4) } } as unknown as Message

test('a derived conversation is named by its oldest message, and the name leads back to it', () => {
  const name = nameThread(signer, 'inbox', { nativeThreadId: null, messages: [oldest], isComplete: true })
  assert.match(name, /^t_[\w-]+$/)
  assert.deepEqual(openThreadId(signer, 'inbox', name), oldest.ref)
  // Elsewhere it is what any text is: at most the id that a provider might have given.
  assert.deepEqual(openThreadId(signer, 'other', name), { nativeThreadId: name.slice(2) })
})

test('an id of the provider keeps its spelling behind the prefix', () => {
  const name = nameThread(signer, 'inbox', {
    nativeThreadId: 'T47613ad8',
    messages: [oldest],
    isComplete: true,
  })
  assert.equal(name, 't_T47613ad8')
  assert.deepEqual(openThreadId(signer, 'inbox', name), { nativeThreadId: 'T47613ad8' })
})

test('what no provider may use as an id is none', () => {
  for (const bad of ['', 'a b', 'x"', 'x\r\nA LOGOUT', '\u00e9', 'x'.repeat(256)]) {
    assert.equal(nameNativeThread(bad), null, bad)
    assert.equal(openThreadId(signer, 'inbox', `t_${bad}`), null, bad)
  }
  assert.equal(openThreadId(signer, 'inbox', 'T47613ad8'), null)
})
