import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeHeader, decodeHeaderText } from './decode-header.ts'

const octets = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

function decodes(cases: Readonly<Record<string, string>>): void {
  for (const [value, text] of Object.entries(cases)) assert.equal(decodeHeader(value, null), text, value)
}

test('check 92: white space between encoded words is not text, beside other words it is', () => {
  decodes({
    '=?utf-8?q?a?= =?utf-8?q?b?=': 'ab',
    '=?utf-8?q?a?=\r\n =?utf-8?b?Yg==?=': 'ab',
    '=?utf-8?q?a?= b =?utf-8?q?c?=': 'a b c',
    '=?utf-8?q?a_?= =?utf-8?q?b?=': 'a b',
  })
})

test('check 92: encoded words in lower case, without a blank beside them, inside words and quotes', () => {
  decodes({
    '=?utf-8?b?w6k=?=': '\u00e9',
    'Re:=?UTF-8?B?w6k=?=,x': 'Re:\u00e9,x',
    '"=?utf-8?q?=C3=A9?="': '"\u00e9"',
    '=?utf-8?q?a?==?utf-8?q?b?=': 'ab',
    '=?utf-8*en?q?=C3=A9?=': '\u00e9',
  })
})

test('check 92: a character split over two words is whole again, whatever their encodings', () => {
  decodes({
    '=?utf-8?Q?=E2=82?= =?UTF-8?Q?=AC?=': '\u20ac',
    '=?utf-8?B?4oI=?= =?utf-8?Q?=AC?=': '\u20ac',
    '=?iso-2022-jp?B?GyRCRnwbKEI=?= =?iso-2022-jp?B?GyRCS1wbKEI=?=': '\u65e5\u672c',
    '=?utf-7?Q?+AOk?= =?utf-7?Q?+AOk?=': '\u00e9\u00e9',
  })
})

test('check 92: raw octets are of the declared charset', () => {
  assert.equal(decodeHeader('\xf0\xd2\xc9\xd7\xc5\xd4', 'koi8-r'), '\u041f\u0440\u0438\u0432\u0435\u0442')
  assert.equal(decodeHeader('\x1b$BF|K\\\x1b(B', 'iso-2022-jp'), '\u65e5\u672c')
})

test('raw UTF-8 is UTF-8 whatever is declared, beside encoded words too', () => {
  assert.equal(decodeHeader(octets('Gr\u00fc\u00dfe =?utf-8?q?=C3=A9?='), 'koi8-r'), 'Gr\u00fc\u00dfe \u00e9')
})

test('raw octets of no known charset are windows-1252, and said to be guessed', () => {
  assert.deepEqual(decodeHeaderText('\x93Caf\xe9\x94', null), {
    text: '\u201cCaf\u00e9\u201d',
    isGuessed: true,
  })
  assert.deepEqual(decodeHeaderText('Caf\xe9', 'us-ascii'), { text: 'Caf\u00e9', isGuessed: true })
  assert.equal(decodeHeaderText('Cafe', null).isGuessed, false)
})

test('a field cut within a UTF-8 character stays readable', () => {
  assert.equal(decodeHeader(octets('Gr\u00fc\u00dfe \u4f60').slice(0, -1), null), 'Gr\u00fc\u00dfe \ufffd')
})

test('an encoded word of unknown charset keeps its ASCII and is reported', () => {
  assert.deepEqual(decodeHeaderText('=?x-klingon?Q?Caf=E9?=', null), { text: 'Caf\ufffd', isGuessed: true })
})

test('broken encoded words lose nothing that can be read', () => {
  decodes({
    '=?utf-8?B?w6k?=': '\u00e9',
    '=?utf-8?B?w6 k=\t?=': '\u00e9',
    '=?utf-8?Q?100% =zz?=': '100% =zz',
    '=?utf-8?Q?What?s up?=': 'What?s up',
    '=?utf-8?Q?two words ?= =?utf-8?Q?here?=': 'two words here',
    '=?utf-8?Q?never closed': '=?utf-8?Q?never closed',
    '=?utf-8?Q?a =?utf-8?Q?b?=': '=?utf-8?Q?a b',
    '=?utf-8?X?a?=': '=?utf-8?X?a?=',
    '=??Q?a?=': '=??Q?a?=',
    '=?utf-8?Q??=': '',
  })
})

test('a value is unfolded and trimmed, nothing else of its white space changes', () => {
  assert.equal(decodeHeader(' a\r\n b\n\tc  d \r\n', null), 'a b\tc  d')
})
