import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readAuthentication } from './authenticity.ts'
import type { HeaderField } from './header.ts'

const ids = ['mx.home.example', '*.mail.example']

function headers(...values: readonly string[]): HeaderField[] {
  return values.map((value) => ({ name: 'Authentication-Results', value }))
}

function verdicts(fields: readonly HeaderField[]): readonly (string | null)[] {
  const { spf, dkim, dmarc, evaluatedBy } = readAuthentication(fields, ids)
  return [spf, dkim, dmarc, evaluatedBy]
}

const unknown = ['unknown', 'unknown', 'unknown', null]
const passing = 'mx.home.example; spf=pass; dkim=pass; dmarc=pass'

describe('only the receiving server vouches for a sender (check 51)', () => {
  test('its topmost word counts, forged ones below do not', () => {
    const fields = headers('mx.home.example; spf=fail; dkim=none; dmarc=fail', passing)
    assert.deepEqual(verdicts(fields), ['fail', 'none', 'fail', 'mx.home.example'])
  })
  test('what it does not say stays unknown, whatever stands below', () => {
    assert.deepEqual(verdicts(headers('mx.home.example; spf=fail', passing)), [
      'fail',
      'unknown',
      'unknown',
      'mx.home.example',
    ])
  })
  test('another server is nobody', () => {
    for (const value of [
      'evil.example; spf=pass',
      'mx.home.example.evil.example; spf=pass',
      'xmail.example; spf=pass',
      'mail.example; spf=pass',
    ]) {
      assert.deepEqual(verdicts(headers(value)), unknown, value)
    }
    assert.deepEqual(verdicts([{ name: 'ARC-Authentication-Results', value: `i=1; ${passing}` }]), unknown)
  })
  test('without a header, or without anyone to trust, nothing is known', () => {
    assert.deepEqual(verdicts([]), unknown)
    assert.equal(readAuthentication(headers(passing), []).spf, 'unknown')
    assert.equal(readAuthentication(headers('; spf=pass'), ['']).spf, 'unknown')
  })
  test('a header without a server name is nobody\u0027s', () => {
    assert.deepEqual(verdicts(headers('spf=pass smtp.mailfrom=a; dkim=pass; dmarc=pass')), unknown)
  })
  test('one of several hosts may be trusted by their domain', () => {
    assert.deepEqual(verdicts(headers('In-07.Mail.Example; spf=softfail')), [
      'softfail',
      'unknown',
      'unknown',
      'in-07.mail.example',
    ])
  })
})

describe('several filters of one server', () => {
  const received = { name: 'Received', value: 'by mx.home.example' }
  const split = ['mx.home.example; dmarc=pass', 'mx.home.example; spf=pass', 'mx.home.example; dkim=fail']
  test('count together where they stand above the topmost Received', () => {
    const fields = [...headers(...split), received, ...headers('mx.home.example; dkim=pass')]
    assert.deepEqual(verdicts(fields), ['pass', 'fail', 'pass', 'mx.home.example'])
  })
  test('count alone where nothing shows who wrote them', () => {
    assert.deepEqual(verdicts(headers(...split)), ['unknown', 'unknown', 'pass', 'mx.home.example'])
  })
})

describe('the grammar of RFC 8601', () => {
  test('comments nest and say nothing', () => {
    const value =
      '(a (b; spf=pass) \\) c) mx.home.example (d) 1 ; spf (e) = (f) neutral (dkim=pass; dmarc=pass)'
    assert.deepEqual(verdicts(headers(value)), ['neutral', 'unknown', 'unknown', 'mx.home.example'])
  })
  test('quoted strings separate nothing', () => {
    const value = 'mx.home.example; spf=fail reason="x; dkim=pass; \\"dmarc=pass" smtp.mailfrom=";dkim=pass"'
    assert.deepEqual(verdicts(headers(value)), ['fail', 'unknown', 'unknown', 'mx.home.example'])
  })
  test('versions, case and old words are understood, new ones are not guessed', () => {
    const value = 'mx.home.example 1; SPF/1=HardFail; dkim=policy; dmarc=bestguesspass; iprev=pass; none'
    assert.deepEqual(verdicts(headers(value)), ['fail', 'unknown', 'unknown', 'mx.home.example'])
  })
  test('one valid signature is enough, and the envelope sender goes before the greeting', () => {
    const value =
      'mx.home.example; spf=none smtp.helo=a; spf=pass smtp.mailfrom=b; dkim=fail header.d=a; dkim=pass header.d=b'
    assert.deepEqual(verdicts(headers(value)), ['pass', 'pass', 'unknown', 'mx.home.example'])
  })
  test('no-result is no verdict', () => {
    assert.deepEqual(verdicts(headers('mx.home.example; none')), [
      'unknown',
      'unknown',
      'unknown',
      'mx.home.example',
    ])
  })
  test('nonsense is read without complaint', () => {
    for (const value of [
      '',
      '(((',
      '"',
      'mx.home.example',
      'mx.home.example;;;=;spf;spf=;=pass',
      '\\',
      'x'.repeat(100_000),
    ]) {
      assert.deepEqual(verdicts(headers(value)).slice(0, 3), ['unknown', 'unknown', 'unknown'])
    }
  })
})
