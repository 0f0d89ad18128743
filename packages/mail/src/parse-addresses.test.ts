import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf, parseAddresses, parseAddressText } from './parse-addresses.ts'

/** Mailboxes as `name <email>`, or `<email>` without a name. */
function read(value: string): string[] {
  return parseAddresses(value, null).map(({ name, email }) => `${name === null ? '' : `${name} `}<${email}>`)
}

function reads(cases: Readonly<Record<string, readonly string[]>>): void {
  for (const [value, mailboxes] of Object.entries(cases)) assert.deepEqual(read(value), mailboxes, value)
}

test('check 94: a comma inside an unquoted display name belongs to the name, in both parsers', () => {
  const jane = [{ name: 'Doe, Jane', email: 'j@x' }]
  assert.deepEqual(parseAddresses('Doe, Jane <j@x>', null), jane)
  assert.deepEqual(parseAddressText('Doe, Jane <j@x>'), jane)
  reads({
    'Doe, Jane, Dr. <j@x>, b@x': ['Doe, Jane, Dr. <j@x>', '<b@x>'],
    'a@x, Doe, Jane <j@x>': ['<a@x>', 'Doe, Jane <j@x>'],
    '"Doe, Jane" <j@x>, Roe, Sam <s@x>': ['Doe, Jane <j@x>', 'Roe, Sam <s@x>'],
  })
})

test('a quoted local part that looks like another address stays one addr-spec', () => {
  reads({
    '"x@gmail.com x"@internal.example': ['<"x@gmail.com x"@internal.example>'],
    'Boss <"x@gmail.com x"@internal.example>': ['Boss <"x@gmail.com x"@internal.example>'],
    '"a, b"@x, c@x': ['<"a, b"@x>', '<c@x>'],
  })
})

test('an encoded comma, bracket or address in a name neither splits nor forges a mailbox', () => {
  reads({
    '=?utf-8?q?Doe=2C_Jane?= <j@x>': ['Doe, Jane <j@x>'],
    '=?utf-8?q?=3Cevil=40x=3E=2C?= <j@x>': ['<evil@x>, <j@x>'],
    '=?utf-8?q?Doe,_Jane?= <j@x>': ['Doe, Jane <j@x>'],
    '=?utf-8?q?j@y?= <j@x>': ['j@y <j@x>'],
    '=?utf-8?B?w6k=?= =?utf-8?B?w6k=?= <j@x>': ['\u00e9\u00e9 <j@x>'],
    '=?utf-8?q?hello world?= <j@x>': ['hello world <j@x>'],
  })
})

test('an encoded word that hides a bracket from one reader and not another is read as the open text it is', () => {
  reads({ '=?utf-8?q?a <evil@x> b?= <j@x>': ['=?utf-8?q?a <evil@x>', 'b?= <j@x>'] })
})

test('groups give their members, empty ones nobody', () => {
  reads({
    'Team: a@x, "B, b" <b@x>;, c@x': ['<a@x>', 'B, b <b@x>', '<c@x>'],
    'undisclosed-recipients:;': [],
    '<undisclosed-recipients:;@host>': [],
    'Team: a@x': ['<a@x>'],
    'One: a@x; Two: b@x;': ['<a@x>', '<b@x>'],
  })
})

test('a comment is the name where there is no other', () => {
  reads({
    'j@x (Jane (the) Doe)': ['Jane (the) Doe <j@x>'],
    'Jane <j@x> (work)': ['Jane <j@x>'],
    '(none) j@x': ['none <j@x>'],
    'Jane (at, work) Doe <j@x>': ['Jane Doe <j@x>'],
  })
})

test('obsolete forms are read: routes, blanks beside dots and at signs', () => {
  reads({
    '<@a,@b:user@c>': ['<user@c>'],
    'john . doe @ example . com': ['<john.doe@example.com>'],
    'J <john . doe @ example.com>': ['J <john.doe@example.com>'],
  })
})

test('domain literals do not start a group', () => {
  reads({ 'j@[IPv6:2001:db8::1], k@[192.0.2.1]': ['<j@[IPv6:2001:db8::1]>', '<k@[192.0.2.1]>'] })
})

test('what is never closed does not swallow the mailboxes behind it', () => {
  reads({
    '"unclosed <j@x>, b@x': ['"unclosed <j@x>', '<b@x>'],
    '(unclosed <j@x>, b@x': ['(unclosed <j@x>', '<b@x>'],
    'Jane <j@x, Bob <b@x>': ['Jane <j@x>', 'Bob <b@x>'],
    'Jane <j@x': ['Jane <j@x>'],
    '<j@x, b@x>': ['<j@x>', '<b@x>'],
  })
})

test('missing brackets and commas are read as they were meant', () => {
  reads({
    'Jane Doe j@x': ['Jane Doe <j@x>'],
    'j@x Jane Doe': ['Jane Doe <j@x>'],
    'a@x b@x': ['<a@x>', '<b@x>'],
    'Jane <j@x> Bob <b@x>': ['Jane <j@x>', 'Bob <b@x>'],
    'a@x; b@x; Doe, J <j@x>': ['<a@x>', '<b@x>', 'Doe, J <j@x>'],
    '<<j@x>>': ['<j@x>'],
    ', ,a@x,,': ['<a@x>'],
  })
})

test('a name without an address keeps its place with an empty address', () => {
  reads({ 'MAILER-DAEMON (Mail System)': ['MAILER-DAEMON <>'], 'Jane <>': ['Jane <>'], '<>': [], '': [] })
})

test('a name that repeats the address is no name', () => {
  reads({ 'j@x <j@x>': ['<j@x>'], '"j@x" <j@x>': ['<j@x>'], 'J@x <j@x>': ['J@x <j@x>'] })
})

test('raw octets in names and addresses are decoded, an encoded word in an address is not', () => {
  const value = Buffer.from('J\u00fcrgen <j\u00fc@x>').toString('latin1')
  assert.deepEqual(parseAddresses(value, null), [{ name: 'J\u00fcrgen', email: 'j\u00fc@x' }])
  assert.deepEqual(parseAddresses('\xf0 <a@x>', 'koi8-r'), [{ name: '\u041f', email: 'a@x' }])
  reads({ '<=?utf-8?q?a?=@x>': ['<=?utf-8?q?a?=@x>'] })
})

test('text of a caller is taken by its letters, not as octets or encoded words', () => {
  assert.deepEqual(parseAddressText('J\u00fcrgen <j\u00fc@x>, =?utf-8?q?a?= <a@x>'), [
    { name: 'J\u00fcrgen', email: 'j\u00fc@x' },
    { name: '=?utf-8?q?a?=', email: 'a@x' },
  ])
})

test('the host is what stands behind the last at sign outside quotes', () => {
  const cases: Readonly<Record<string, string | null>> = {
    'j@Example.COM': 'example.com',
    '"x@gmail.com x"@internal.example': 'internal.example',
    '"a@b"': null,
    'j@[IPv6:2001:db8::1]': '[ipv6:2001:db8::1]',
    'a@x:b': null,
    'j@': null,
    j: null,
    '': null,
    'j@a b': null,
  }
  for (const [email, host] of Object.entries(cases)) assert.equal(hostOf(email), host, email)
})

test('a list that was made to keep its reader busy is read up to a bound, from the front', () => {
  const crowd = Array.from({ length: 30_000 }, (_, index) => `a${String(index)}@x.example`)
  const read = parseAddresses(crowd.join(','), null)
  assert.ok(read.length >= 10_000 && read.length < crowd.length)
  assert.deepEqual(
    read.slice(0, 9_999).map(({ email }) => email),
    crowd.slice(0, 9_999),
  )
  assert.ok(parseAddresses('('.repeat(1_000_000), null).every(({ name }) => (name?.length ?? 0) <= 40_000))
})
