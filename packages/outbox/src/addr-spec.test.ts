import assert from 'node:assert/strict'
import test from 'node:test'
import { createRandom, randomText } from '../test/random.ts'
import { addressKey, isInternational, parseAddrSpec } from './addr-spec.ts'

test('plain addresses stay as they are', () => {
  for (const address of [
    'a@b.example',
    "o'neil+tag=1/x@mail.example.org",
    '{a}|b~c@x.example',
    'bob@mailhost',
    `${'a'.repeat(64)}@b.example`,
    '\u0436\u0443\u043a@x.example',
  ])
    assert.equal(parseAddrSpec(address), address)
})

test('a domain becomes ASCII and lower-case', () => {
  assert.equal(parseAddrSpec('Amy@B\u00fccher.Example'), 'Amy@xn--bcher-kva.example')
  assert.equal(parseAddrSpec('a@EXAMPLE.COM'), 'a@example.com')
  assert.equal(parseAddrSpec('a@\uff45xample.com'), 'a@example.com')
})

test('a quoted local part is taken, and loses quotes that mean nothing', () => {
  assert.equal(parseAddrSpec('"john doe"@x.example'), '"john doe"@x.example')
  assert.equal(parseAddrSpec('"john.doe"@x.example'), 'john.doe@x.example')
})

test('what hides a second address, a route or a comment is none (check 127)', () => {
  for (const text of [
    '"x@gmail.com x"@internal.example',
    '"a\\"@evil.example"@internal.example',
    'a@evil.example@internal.example',
    'a@evil.example,b@internal.example',
    '<a@b.example>',
    '@relay.example:a@b.example',
    'a(b@evil.example)@c.example',
    'a@b.example(comment)',
    'a @b.example',
    'a@b .example',
    'friends:a@b.example;',
  ])
    assert.equal(parseAddrSpec(text), null, text)
})

test('what is not an address is none', () => {
  for (const text of [
    '',
    '@',
    'a',
    'a@',
    '@b.example',
    'a..b@c.example',
    '.a@b.example',
    'a.@b.example',
    'a@b..example',
    'a@.example',
    'a@b.example.',
    'a@-b.example',
    'a@b_c.example',
    'a@[127.0.0.1]',
    'a@127.0.0.1',
    'a@0x7f.1',
    'a@2130706433',
    'a@ex%61mple.com',
    'a@b\u3002example',
    'a@\u00ad.example',
    'a\u200b@b.example',
    'a\u202e@b.example',
    'a\ud800@b.example',
    'a\0@b.example',
    'a\r\nRCPT TO:<x@y.example>@b.example',
    'a@b.example\r\nDATA',
    'a@b\texample',
    `${'a'.repeat(65)}@b.example`,
    `"${'a '.repeat(40)}"@b.example`,
    `${'\u0436'.repeat(33)}@b.example`,
    `a@${'b'.repeat(64)}.example`,
    `a@${'b.'.repeat(126)}example`,
  ])
    assert.equal(parseAddrSpec(text), null, JSON.stringify(text))
})

test('whatever is made of any text is one address with one at sign that splits it', () => {
  const random = createRandom(7)
  let taken = 0
  for (let round = 0; round < 20_000; round += 1) {
    const made = parseAddrSpec(`${randomText(random, 1 + random(6))}@${randomText(random, 1 + random(8))}`)
    if (made === null) continue
    taken += 1
    assert.equal(made.split('@').length, 2, made)
    assert.doesNotMatch(made, /[\p{Cc}<>]/u)
    assert.equal(parseAddrSpec(made), made)
  }
  assert.ok(taken > 100, String(taken))
})

test('a long text is refused in no time', () => {
  const started = performance.now()
  for (const text of ['a.'.repeat(500_000), `"${'a '.repeat(500_000)}"@b`, `a@${'-'.repeat(1_000_000)}`])
    assert.equal(parseAddrSpec(text), null)
  assert.ok(performance.now() - started < 500)
})

test('capitals tell no two mailboxes apart, and only a local part beyond ASCII needs SMTPUTF8', () => {
  assert.equal(addressKey('Amy@X.example'), addressKey('amy@x.EXAMPLE'))
  const wide = parseAddrSpec('\u0436@x.example')
  const idn = parseAddrSpec('a@b\u00fccher.example')
  assert.ok(wide !== null && idn !== null)
  assert.equal(isInternational(wide), true)
  assert.equal(isInternational(idn), false)
})
