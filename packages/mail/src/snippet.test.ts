import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMime } from './parse-mime.ts'
import type { Part } from './part.ts'
import { decodeSnippet, firstTextPart } from './snippet.ts'

/** The tree as a server describes it: no content. */
function described(text: string): Part {
  const strip = (part: Part): Part => ({ ...part, content: null, children: part.children.map(strip) })
  return strip(parseMime(Buffer.from(text)).tree)
}

function snippet(header: string, body: string | Buffer, partId = '1'): string | null {
  const found = decodeSnippet(described(`${header}\r\n\r\nx`), partId, Buffer.from(body))
  return found === null ? null : `${found.kind}: ${found.text}`
}

test('the first octets of a text are decoded by its transfer encoding and charset', () => {
  assert.equal(
    snippet('Content-Type: text/plain; charset=koi8-r', Buffer.from([0xd0, 0xd2])),
    'plain: \u043f\u0440',
  )
  assert.equal(snippet('Content-Transfer-Encoding: base64', 'SGVsbG8='), 'plain: Hello')
  assert.equal(
    snippet('Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable', '<p>=C3=A9'),
    'html: <p>\u00e9',
  )
})

test('a cut within an escape, a group or a character drops what is half', () => {
  const quoted = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable'
  for (const cut of ['ab=C3=A9', 'ab=C3=A9=', 'ab=C3=A9=E', 'ab=C3=A9=E2', 'ab=C3=A9=E2=8']) {
    assert.equal(snippet(quoted, cut), 'plain: ab\u00e9', cut)
  }
  assert.equal(snippet('Content-Transfer-Encoding: base64', 'SGVsbG8gdGhlc'), 'plain: Hello the')
  assert.equal(
    snippet('Content-Type: text/plain; charset=utf-8', Buffer.from('ab\u4f60').subarray(0, 4)),
    'plain: ab',
  )
  assert.equal(snippet('X: y', Buffer.from('\u00e9\u4f60').subarray(0, 4)), 'plain: \u00e9')
})

test('the first octets of a multipart are looked into', () => {
  const header = 'Content-Type: multipart/mixed; boundary=b'
  const inner =
    '--c\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe='
  const body = `--b\r\nContent-Type: multipart/alternative; boundary="c"\r\n\r\n${inner}`
  const tree = described(`${header}\r\n\r\n${body}`)
  assert.deepEqual(decodeSnippet(tree, '1', Buffer.from(inner)), { kind: 'plain', text: 'Gr\u00fc\u00dfe' })
})

test('a boundary cannot add header fields of its own', () => {
  const part = {
    ...described('Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--'),
    id: '1',
  }
  const params = new Map([['boundary', 'b"\r\nContent-Type: text/html\r\nX: "']])
  assert.equal(decodeSnippet({ ...part, params }, '1', Buffer.from('--b\r\n\r\n<p>'))?.kind, 'plain')
})

test('a part that is no text of the body has no snippet', () => {
  const tree = described(
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/pdf\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--',
  )
  assert.equal(decodeSnippet(tree, '1', Buffer.from('x')), null)
  assert.equal(decodeSnippet(tree, '7', Buffer.from('x')), null)
  assert.equal(decodeSnippet(tree, '2', Buffer.from('y'))?.text, 'y')
  assert.equal(firstTextPart(tree)?.part.id, '2')
})
