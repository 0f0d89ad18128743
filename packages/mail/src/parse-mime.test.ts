import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import PostalMime from 'postal-mime'
import { readMailFixtures } from '@postern/fixtures'
import { chooseBody } from './choose-body.ts'
import { decodeText } from './charset.ts'
import { maxPartDepth, maxParts, parseMime } from './parse-mime.ts'
import { walkParts, type Part } from './part.ts'

function outline(part: Part): string {
  const text = part.content === null ? '' : `=${Buffer.from(part.content).toString('latin1')}`
  const children = part.children.length > 0 ? `[${part.children.map(outline).join(' ')}]` : ''
  return `${part.id}:${part.type}${text}${children}`
}

function read(text: string): string {
  return outline(parseMime(Buffer.from(text, 'latin1')).tree)
}

const mixed = 'Content-Type: multipart/mixed; boundary=b\n\n'

test('ids are IMAP section numbers', () => {
  assert.equal(read('\nx'), '1:text/plain=x')
  assert.equal(
    read(`${mixed}--b\n\none\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\ntwo\n--c--\n--b--\n`),
    ':multipart/mixed[1:text/plain=one 2:multipart/mixed[2.1:text/plain=two]]',
  )
})

test('attached messages are leaves, also when they hold parts of their own', () => {
  const inner = `Content-Type: multipart/mixed; boundary=c\n\n--c\n\ninner\n--c--\n`
  assert.equal(
    read(`${mixed}--b\nContent-Type: message/rfc822\n\n${inner}\n--b--\n`),
    `:multipart/mixed[1:message/rfc822=${inner}]`,
  )
})

test("the line break before a boundary is the boundary's, all others are the part's", () => {
  assert.equal(read(`${mixed}--b\r\n\r\n\r\nx\r\n\r\n--b--\r\n`), ':multipart/mixed[1:text/plain=\r\nx\r\n]')
})

test('prologue and epilogue belong to nobody', () => {
  assert.equal(
    read(`${mixed}before\n--b\n\nx\n--b--\nafter\n--b\n\nlater\n`),
    ':multipart/mixed[1:text/plain=x]',
  )
})

test('an outer boundary closes what is open within', () => {
  const inner = 'Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n'
  assert.equal(
    read(`${mixed}--b\n${inner}--b\n\ntwo\n`),
    ':multipart/mixed[1:multipart/mixed[1.1:text/plain=one] 2:text/plain=two\n]',
  )
})

test('nested multiparts with the same boundary are told apart by their closing', () => {
  const inner = 'Content-Type: multipart/alternative; boundary=b\n\n--b\n\none\n--b--\n'
  assert.equal(
    read(`${mixed}--b\n${inner}--b\n\ntwo\n--b--\n`),
    ':multipart/mixed[1:multipart/alternative[1.1:text/plain=one] 2:text/plain=two]',
  )
})

test('of two boundaries the longer one that a line begins with is meant', () => {
  const inner = 'Content-Type: multipart/mixed; boundary=bb\n\n--bb\n\none\n--bb--\n'
  assert.equal(
    read(`${mixed}--b\n${inner}--b\n\ntwo\n--b--\n`),
    ':multipart/mixed[1:multipart/mixed[1.1:text/plain=one] 2:text/plain=two]',
  )
})

test('a delimiter that ends the message opens no part', () => {
  assert.equal(read(`${mixed}--b\n\nx\n--b\n`), ':multipart/mixed[1:text/plain=x]')
})

test('a multipart without parts is text', () => {
  assert.equal(read('Content-Type: multipart/mixed\n\n--b\nx'), '1:text/plain=--b\nx')
  assert.equal(read(`${mixed}no boundary`), '1:text/plain=no boundary')
  assert.equal(read('Content-Type: multipart/mixed; boundary=""\n\n--\nx'), '1:text/plain=--\nx')
})

test('an mbox line and a byte order mark before the header are no header', () => {
  const { headers } = parseMime(Buffer.from('\ufeffFrom amy Mon Nov 16\nSubject: x\n\nbody'))
  assert.deepEqual(headers, [{ name: 'Subject', value: 'x' }])
})

test('the transfer encoding of a leaf is undone, its size is as transferred, its damage is reported', () => {
  const { tree, damagedParts } = parseMime(
    Buffer.from(
      `${mixed}--b\nContent-Transfer-Encoding: base64\n\nSGVsbG8=\n--b\nContent-Transfer-Encoding: base64\n\n!\n--b--`,
    ),
  )
  const [first] = tree.children
  assert.deepEqual(
    [Buffer.from(first?.content ?? []).toString(), first?.sizeBytes, first?.encoding],
    ['Hello', 8, 'base64'],
  )
  assert.deepEqual(damagedParts, ['2'])
})

test('nesting is bounded, and what lies deeper is one leaf with its octets', () => {
  let text = ''
  for (let depth = 0; depth < 5_000; depth += 1) {
    text += `Content-Type: multipart/mixed; boundary=b${depth}x\n\n--b${depth}x\n`
  }
  const { tree } = parseMime(Buffer.from(`${text}\nend`))
  const nodes = walkParts(tree).toArray()
  assert.equal(nodes.length, maxPartDepth + 1)
  assert.match(Buffer.from(nodes.at(-1)?.content ?? []).toString(), /^--b50x[^]*\nend$/)
  assert.deepEqual(chooseBody(tree).parts, [])
})

test('the number of parts is bounded, and what follows belongs to the last one', () => {
  const { tree } = parseMime(Buffer.from(`${mixed}${'--b\n\nx\n'.repeat(10_000)}--b--\n`))
  assert.equal(walkParts(tree).toArray().length, maxParts)
  assert.match(Buffer.from(tree.children.at(-1)?.content ?? []).toString(), /^x\n--b\n\nx\n/)
})

// What postal-mime reads otherwise, and why ours is right.
const differences: Readonly<Record<string, string>> = {
  'base64-with-footer': 'decodes the footer below base64 into noise',
  'charset-cp437': 'does not know the charset',
  'charset-unknown': 'takes an unknown charset for windows-1252 without saying so',
  digest: 'shows attached messages in the text',
  filenames: 'removes the backslashes of a path',
  'foreign-boundary': 'finds no text in a multipart without parts',
  'named-texts': 'shows text files in the text',
  'no-blank-line': 'loses the body behind a forgotten blank line',
  'no-boundary': 'finds no text in a multipart without parts',
  'raw-koi8-headers': 'does not know the charset of a raw file name',
  'related-with-start': 'shows parts beside the root in the text',
  'three-texts': 'wraps plain text into HTML',
}

test('an independent parser reads the same texts and file names, but for named differences', async () => {
  const squash = (text: string): string => text.replace(/[ \t]*(?:\r?\n)+/g, '\n').trim()
  for (const { name, octets } of readMailFixtures()) {
    const theirs = await PostalMime.parse(octets)
    const { parts, source, attachments } = chooseBody(parseMime(octets).tree)
    const texts = parts.map(({ part }) =>
      decodeText(part.content ?? new Uint8Array(), part.params.get('charset') ?? null),
    )
    const ours = [
      squash(texts.map(({ text }) => text).join('\n')),
      ...attachments.map(({ filename }) => filename),
    ]
    const text = (source === 'html' ? theirs.html : theirs.text) ?? ''
    const other = [squash(text), ...theirs.attachments.map(({ filename }) => filename)]
    assert.equal(isDeepStrictEqual(ours, other), !Object.hasOwn(differences, name), name)
  }
})
