import assert from 'node:assert/strict'
import test from 'node:test'
import { sign, type Signature } from './signature.ts'

const signature: Signature = { text: 'Olga Owner\nHome Ltd', html: '<p>Olga <b>Owner</b></p>' }

function signText(text: string, old: readonly Signature[] = []): string {
  return sign({ text, html: null }, signature, old).text
}

test('a signature stands once below the text, behind the line that readers know', () => {
  assert.equal(signText('Hello\n\n'), 'Hello\n\n-- \nOlga Owner\nHome Ltd')
  assert.equal(signText(''), '-- \nOlga Owner\nHome Ltd')
})

test('signing what is signed changes nothing, also when a reader wrapped it or lost the blank (check 153)', () => {
  const once = signText('Hello')
  assert.equal(signText(once), once)
  assert.equal(signText('Hello\n\n--\nOlga  Owner Home Ltd\n'), once)
  assert.equal(signText('Hello\n\nOlga Owner\nHome Ltd'), once)
  const both = sign({ text: 'Hello', html: '<p>Hello</p>' }, signature)
  assert.deepEqual(sign(both, signature), both)
})

test('an older signature gives way to the new one', () => {
  const old: Signature = { text: 'Olga\nOld Ltd', html: null }
  const before = sign({ text: 'Hello', html: '<p>Hello</p>' }, old)
  assert.deepEqual(sign(before, signature, [old]), sign({ text: 'Hello', html: '<p>Hello</p>' }, signature))
})

test('words that only resemble a signature stay', () => {
  assert.equal(signText('Yours, Olga Owner\nHome Ltd').split('Home Ltd').length, 3)
  assert.equal(signText('a\n-- \nsomething else'), 'a\n-- \nsomething else\n\n-- \nOlga Owner\nHome Ltd')
})

test('without a signature the text is as it was written, but for the one that goes (check 153)', () => {
  const own = { text: 'Hello  \n\n', html: '<p>x</p>' }
  assert.deepEqual(sign(own, null), own)
  assert.equal(sign({ text: signText('Hello'), html: null }, null, [signature]).text.trimEnd(), 'Hello')
})

test('a long text is signed in no time', () => {
  const started = performance.now()
  signText('-- \n'.repeat(120_000))
  signText(' '.repeat(500_000))
  assert.ok(performance.now() - started < 1_000)
})
