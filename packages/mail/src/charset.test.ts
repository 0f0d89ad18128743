import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText, isKnownCharset } from './charset.ts'

const octets = (...values: number[]): Uint8Array => Uint8Array.from(values)
const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1')

test('check 90: labels that senders write for the Japanese charsets are known', () => {
  const nihon = '\u65e5\u672c'
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['cp932', octets(0x93, 0xfa, 0x96, 0x7b)],
    ['x-sjis', octets(0x93, 0xfa, 0x96, 0x7b)],
    ['Windows-31J', octets(0x93, 0xfa, 0x96, 0x7b)],
    ['eucjp', octets(0xc6, 0xfc, 0xcb, 0xdc)],
    ['EUC_JP', octets(0xc6, 0xfc, 0xcb, 0xdc)],
    ['iso2022jp', latin1('\x1b$BF|K\\\x1b(B')],
    ['iso-2022-jp-3', latin1('\x1b$BF|K\\\x1b(B')],
  ]
  for (const [label, bytes] of cases) {
    assert.deepEqual(decodeText(bytes, label), { text: nihon, isGuessed: false }, label)
  }
})

test('labels in any case, quoted, with a comment behind them, and by code page number are known', () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ['"KOI8-R"', 0xd0, '\u043f'],
    [' iso-8859-1 (Latin 1)', 0xe9, '\u00e9'],
    ['ISO_8859-2:1987', 0xb1, '\u0105'],
    ['win-1251', 0xcf, '\u041f'],
    ['CP1250', 0xb9, '\u0105'],
    ['ibm437', 0x82, '\u00e9'],
    ['koi8-t', 0x80, '\u049b'],
    ['latin1', 0x92, '\u2019'],
    ['csISOLatin5', 0xfd, '\u0131'],
    ["utf-8'; format=flowed", 0x41, 'A'],
  ]
  for (const [label, octet, text] of cases) {
    assert.deepEqual(decodeText(octets(octet), label), { text, isGuessed: false }, label)
  }
})

test('an unknown label never becomes a silent guess', () => {
  assert.deepEqual(decodeText(latin1('Caf\xe9'), 'x-klingon'), { text: 'Caf\ufffd', isGuessed: true })
  assert.deepEqual(decodeText(latin1('Cafe'), 'x-klingon'), { text: 'Cafe', isGuessed: true })
})

test('names of encodings that are no charsets are unknown labels', () => {
  for (const label of ['base64', 'hex', 'binary64', '__proto__', 'constructor', 'toString']) {
    assert.equal(isKnownCharset(label), false, label)
    assert.equal(decodeText(latin1('SGVsbG8='), label).text, 'SGVsbG8=')
  }
})

test('undeclared octets are UTF-8 where they are valid, else replaced and reported', () => {
  for (const label of [
    null,
    '',
    'us-ascii',
    'ANSI_X3.4-1968',
    'x-unknown',
    'unknown-8bit',
    'DEFAULT_CHARSET',
  ]) {
    assert.deepEqual(decodeText(Buffer.from('Caf\u00e9'), label), { text: 'Caf\u00e9', isGuessed: false })
    assert.deepEqual(decodeText(latin1('Caf\xe9'), label), { text: 'Caf\ufffd', isGuessed: true })
    assert.deepEqual(decodeText(latin1('Cafe'), label), { text: 'Cafe', isGuessed: false })
  }
})

test('a replacement character that the sender wrote is a character', () => {
  assert.deepEqual(decodeText(Buffer.from('\ufffd \ufffd'), null), {
    text: '\ufffd \ufffd',
    isGuessed: false,
  })
})

test('undeclared UTF-8 that is cut within a character loses only that character', () => {
  const cut = Buffer.from('Gr\u00fc\u00dfe \u4f60').subarray(0, -1)
  assert.deepEqual(decodeText(cut, null), { text: 'Gr\u00fc\u00dfe \ufffd', isGuessed: false })
})

test('undeclared UTF-8 with one broken octet among many characters stays readable, as a guess', () => {
  const broken = Buffer.concat([
    Buffer.from('\u041f\u0440\u0438\u0432\u0435\u0442 '),
    octets(0xff),
    Buffer.from('!'),
  ])
  assert.deepEqual(decodeText(broken, null), {
    text: '\u041f\u0440\u0438\u0432\u0435\u0442 \ufffd!',
    isGuessed: true,
  })
})

test('ISO-2022-JP with escape sequences in a row gains no replacement character', () => {
  const joined = latin1('\x1b$BF|\x1b(B\x1b$BK\\\x1b(B')
  assert.equal(decodeText(joined, 'iso-2022-jp').text, '\u65e5\u672c')
})

test('UTF-7 reads shifts of any length, a plus sign, and what is no UTF-7 as it stands', () => {
  const cases = {
    'Hi Mom -+Jjo--!': 'Hi Mom -\u263a-!',
    '+ZeVnLIqe-': '\u65e5\u672c\u8a9e',
    'A+ImIDkQ.': 'A\u2262\u0391.',
    '1 +- 1 + 1': '1 + 1 + 1',
    '+2D3cSQ-': '\u{1f449}',
    '+A': '',
    'caf\xe9 +AOk-': 'caf\ufffd \u00e9',
  }
  for (const [encoded, text] of Object.entries(cases)) {
    assert.equal(decodeText(latin1(encoded), 'utf-7').text, text, encoded)
  }
})

test('UTF-7 and UTF-16 never leave half a surrogate pair', () => {
  assert.equal(decodeText(latin1('a+2D0-b'), 'utf-7').text, 'a\ufffdb')
  assert.equal(decodeText(octets(0xd8, 0x3d, 0x00, 0x41), 'utf-16').text, '\ufffdA')
})

test('UTF-16 follows its byte order mark and is big-endian without one', () => {
  assert.equal(decodeText(octets(0xff, 0xfe, 0x41, 0x00), 'utf-16').text, 'A')
  assert.equal(decodeText(octets(0xfe, 0xff, 0x00, 0x41), 'utf-16').text, 'A')
  assert.equal(decodeText(octets(0x00, 0x41), 'utf-16').text, 'A')
})

test('a byte order mark is no text', () => {
  assert.equal(decodeText(Buffer.from('\ufeffA'), 'utf-8').text, 'A')
  assert.equal(decodeText(Buffer.from('\ufeffA'), null).text, 'A')
})

test('every charset that the tables name can decode', () => {
  const names =
    `viscii tcvn armscii8 georgian-academy georgian-ps pt154 rk1048 hp-roman8 utf-32 utf-32le utf-32be
    x-mac-ce macgreek macturkish maccroatian maciceland macromania macthai x-mac-cyrillic macintosh koi8-u koi8-ru
    cp720 cp737 cp775 cp808 cp850 cp852 cp855 cp856 cp857 cp858 cp860 cp861 cp862 cp863 cp864 cp865 cp866 cp869
    cp922 big5-hkscs windows-874 gb18030 euc-kr uhc iso-8859-16 windows-1258 utf-16le`.split(/\s+/)
  for (const name of names) {
    assert.equal(isKnownCharset(name), true, name)
    assert.equal(typeof decodeText(octets(0x41, 0, 0, 0), name).text, 'string', name)
  }
})
