import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeTransfer } from './transfer-encoding.ts'

/** Decoded octets as characters, with a `!` in front where they are damaged. */
function decode(text: string, encoding: string): string {
  const { content, isDamaged } = decodeTransfer(Buffer.from(text, 'latin1'), encoding)
  return `${isDamaged ? '!' : ''}${Buffer.from(content).toString('latin1')}`
}

function decodes(encoding: string, cases: Readonly<Record<string, string>>): void {
  for (const [text, decoded] of Object.entries(cases)) assert.equal(decode(text, encoding), decoded, text)
}

test('check 89: quoted-printable is undone once: an escaped equals sign starts no escape', () => {
  decodes('quoted-printable', { '?x=3Ded12': '?x=ed12', '=3D41': '=41', '=3D=3D': '==' })
})

test('check 96: all 256 octets survive base64, quoted-printable and the identity encodings', () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))
  const quoted = Array.from(all, (octet) => `=${octet.toString(16).padStart(2, '0')}`).join('=\r\n')
  const encodings = [
    ['base64', all.toString('base64')],
    ['BASE64 ', all.toString('base64').replace(/.{20}/g, '$&\r\n')],
    ['quoted-printable', quoted],
    ['7bit', all.toString('latin1')],
    ['8-bit', all.toString('latin1')],
    ['binary', all.toString('latin1')],
    ['', all.toString('latin1')],
  ] as const
  for (const [encoding, text] of encodings) {
    const { content, isDamaged } = decodeTransfer(Buffer.from(text, 'latin1'), encoding)
    assert.deepEqual([isDamaged, Buffer.compare(content, all)], [false, 0], encoding)
  }
})

test('soft line breaks join lines, in any line ending and with blanks before it', () => {
  decodes('quoted-printable', { 'a=\r\nb': 'ab', 'a=\nb': 'ab', 'a= \t\r\nb': 'ab', 'a=': 'a', 'a= ': 'a' })
})

test('white space at the end of a line goes, an escaped blank stays', () => {
  decodes('quoted-printable', {
    'a \t\r\nb ': 'a\r\nb',
    'a=20\r\n': 'a \r\n',
    'a =\r\nb': 'a b',
    '=20 ': ' ',
  })
})

test('what is no escape stays as it is written and is reported', () => {
  decodes('quoted-printable', { '1 = 2': '!1 = 2', '=ZZ': '!=ZZ', 'a=4': '!a=4', '=e9': '\xe9' })
})

test('base64 is read across foreign octets, and they are reported', () => {
  decodes('base64', {
    'SGVs\r\nbG8=': 'Hello',
    'SGVs\x00bG8=': '!Hello',
    SGVsbG8: 'Hello',
    SGVsb: '!Hel',
    '': '',
  })
})

test('base64 in several padded runs is one file, a footer below is no base64', () => {
  decodes('base64', {
    'YQ==\r\nYmI=\r\nY2Nj': 'abbccc',
    'YQ==\r\n_____\r\nfooter': '!a',
    'YQ==\r\nBest wishes': '!a',
    'YQ== ignored': '!a',
  })
})

test('the first file of a uuencoded text is found', () => {
  decodes('x-uuencode', {
    'words\nbegin 644 a.txt\n%2&5L;&\\\n`\nend\nmore': 'Hello',
    'begin 644 a.txt\n%2&5L;&\\\n': '!Hello',
    'no file': '!no file',
  })
})

test('an encoding nobody knows passes through and is reported', () => {
  decodes('x-yenc', { 'a=3D': '!a=3D' })
})
