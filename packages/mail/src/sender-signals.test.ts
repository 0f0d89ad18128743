import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from './address.ts'
import { senderSignals, type SenderSignals } from './sender-signals.ts'
import { rawText } from './text.ts'

function address(email: string): Address {
  return { name: null, email: rawText(email) }
}

function signals(
  from: string | null,
  replyTo: readonly string[] = [],
  sender: string | null = null,
): SenderSignals {
  return senderSignals(
    {
      from: from === null ? [] : [address(from)],
      replyTo: replyTo.map(address),
      sender: sender === null ? null : address(sender),
    },
    ['Owner@mail.home.example', 'alias@other.example'],
  )
}

test('what needs a contact book is not claimed', () => {
  const { first_contact, lookalike_domain } = signals('a@x.example')
  assert.deepEqual([first_contact, lookalike_domain], [null, null])
})

test('a reply that goes elsewhere is told', () => {
  assert.equal(signals('A@x.example', ['a@X.example']).reply_to_differs, false)
  assert.equal(signals('a@x.example').reply_to_differs, false)
  assert.equal(signals('a@x.example', ['a@x.example', 'm@evil.example']).reply_to_differs, true)
  assert.equal(signals(null, ['m@evil.example']).reply_to_differs, true)
})

test('letters beyond ASCII in a domain are told, in a local part they are not', () => {
  assert.equal(signals('a@xn--bnk-6cd.example').punycode, true)
  assert.equal(signals('a@mail.b\u0430nk.example').punycode, true)
  assert.equal(signals('a@x.example', ['a@xn--bnk-6cd.example']).punycode, true)
  assert.equal(signals('a@x.example', [], 'a@xn--bnk-6cd.example').punycode, true)
  assert.equal(signals('j\u00fcrgen@x.example').punycode, false)
})

test('whoever is not of an own domain is external', () => {
  assert.equal(signals('a@home.example').external, false)
  assert.equal(signals('a@news.home.example').external, false)
  assert.equal(signals('a@OTHER.example').external, false)
  assert.equal(signals('a@home.example.evil.example').external, true)
  assert.equal(signals('"owner@home.example"@evil.example').external, true)
  assert.equal(signals(null).external, true)
  assert.equal(signals('no address').external, true)
})
