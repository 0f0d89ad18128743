import { createHmac } from 'node:crypto'
import type { Signer } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDraftId, sealDraftId } from './draft-id.ts'
import { openMessageId, sealMessageId } from './message-id.ts'

const sign = (data: Uint8Array): Uint8Array => createHmac('sha256', 'key').update(data).digest()
const signer: Signer = {
  sign,
  verifies: (data, mac) => Buffer.from(sign(data)).subarray(0, mac.length).equals(mac),
}
const inbox = '11111111-1111-4111-8111-111111111111'
const other = '22222222-2222-4222-8222-222222222222'
const ref = { locator: Uint8Array.from({ length: 26 }, (_, n) => n) }

test('a draft_id opens in its own inbox, as a draft, and nowhere else', () => {
  const id = sealDraftId(signer, inbox, { ref })
  assert.match(id, /^d_[A-Za-z0-9_-]{50}$/)
  assert.deepEqual(openDraftId(signer, inbox.toUpperCase(), id), { ref })
  assert.equal(openDraftId(signer, other, id), null)
  assert.equal(openMessageId(signer, inbox, id), null)
  assert.equal(openMessageId(signer, inbox, `m_${id.slice(2)}`), null)
  assert.equal(openDraftId(signer, inbox, `d_${sealMessageId(signer, inbox, ref).slice(2)}`), null)
})

test('a draft_id with one character changed is none', () => {
  const id = sealDraftId(signer, inbox, { ref })
  for (let at = 0; at < id.length; at++) {
    const changed = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`
    assert.equal(openDraftId(signer, inbox, changed), null, String(at))
  }
})
