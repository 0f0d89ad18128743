import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeParameters, parseStructuredHeader } from './parse-structured-header.ts'

function read(value: string): [string, Record<string, string>] {
  const header = parseStructuredHeader(value)
  return [header.value, Object.fromEntries(header.params)]
}

test('value and parameters are read without case, comments and folding', () => {
  assert.deepEqual(read('TEXT/Plain (words); Charset="UTF-8";\r\n format=flowed (yes)'), [
    'text/plain',
    { charset: 'UTF-8', format: 'flowed' },
  ])
  assert.deepEqual(read('text / html'), ['text/html', {}])
})

test('continuations and charsets of RFC 2231 are joined before they are decoded', () => {
  assert.deepEqual(read('attachment; filename*1*=%82%AC; filename*0*=utf-8\'en\'a%E2; filename*2=" b.pdf"'), [
    'attachment',
    { filename: 'a\u20ac b.pdf' },
  ])
  assert.deepEqual(read('attachment; filename*0="a"; filename*1="b"; filename*3="d"')[1], { filename: 'ab' })
  assert.deepEqual(read("attachment; filename*=iso-8859-1''%E9.txt")[1], { filename: '\u00e9.txt' })
  assert.deepEqual(read('attachment; filename*=plain%20name.txt')[1], { filename: 'plain name.txt' })
})

test('an extended parameter beats a plain one of its name, whatever their order', () => {
  const filename = '\u20ac.txt'
  assert.deepEqual(read("a; filename=x; filename*=utf-8''%E2%82%AC.txt")[1], { filename })
  assert.deepEqual(read("a; filename*=utf-8''%E2%82%AC.txt; filename=x")[1], { filename })
})

test('encoded words in file names are decoded, in one piece or over continuations', () => {
  assert.deepEqual(read('a; name="=?utf-8?B?w6k=?= =?utf-8?Q?.pdf?="')[1], { name: '\u00e9.pdf' })
  assert.deepEqual(read('a; name*0="=?utf-8?Q?=C3?="; name*1="=?utf-8?Q?=A9?="')[1], { name: '\u00e9' })
})

test('of duplicates the first counts', () => {
  assert.deepEqual(read('multipart/mixed; boundary=a; boundary=b')[1], { boundary: 'a' })
})

test('parameter names that mean something to a language are names', () => {
  const { params } = parseStructuredHeader('a/b; __proto__=1; constructor=2; hasownproperty=3')
  assert.deepEqual(
    [...params],
    [
      ['__proto__', '1'],
      ['constructor', '2'],
      ['hasownproperty', '3'],
    ],
  )
})

test('what senders leave out is read as it was meant', () => {
  assert.deepEqual(read('multipart/mixed\r\n boundary="b"'), ['multipart/mixed', { boundary: 'b' }])
  assert.deepEqual(read('a; filename=two words (1).pdf; size=3')[1], {
    filename: 'two words (1).pdf',
    size: '3',
  })
  assert.deepEqual(read('; filename="a.png"'), ['', { filename: 'a.png' }])
  assert.deepEqual(read('filename=x.txt'), ['', { filename: 'x.txt' }])
  assert.deepEqual(read('a; filename="unclosed.pdf')[1], { filename: 'unclosed.pdf' })
  assert.deepEqual(read('a; x=; y=1;;; z')[1], { x: '', y: '1' })
  assert.deepEqual(read(''), ['', {}])
})

test('backslashes of a path are kept, those of a quote are not', () => {
  assert.deepEqual(read('a; filename="C:\\new\\a.txt"')[1], { filename: 'C:\\new\\a.txt' })
  assert.deepEqual(read('a; filename="say \\"hi\\" \\\\ bye"')[1], { filename: 'say "hi" \\ bye' })
})

test('a boundary is compared with octets and stays as written', () => {
  assert.deepEqual(read('multipart/mixed; boundary="=?utf-8?q?a?="')[1], { boundary: '=?utf-8?q?a?=' })
  assert.deepEqual(read('multipart/mixed; boundary=" a\xe9"')[1], { boundary: ' a\xe9' })
})

test('parameters that were taken apart elsewhere are decoded the same way', () => {
  const pairs = [
    ['NAME*0*', "koi8-r''%F0"],
    ['NAME*1', '.txt'],
    ['charset', 'x'],
  ] as const
  assert.deepEqual(
    [...decodeParameters(pairs, null)],
    [
      ['charset', 'x'],
      ['name', '\u041f.txt'],
    ],
  )
})
