import assert from 'node:assert/strict'
import test from 'node:test'
import { listRawFields, withoutFields } from './raw-fields.ts'
import { withoutBcc } from './without-bcc.ts'

function octets(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function text(some: Uint8Array): string {
  return Buffer.from(some).toString('latin1')
}

test('every field is where it stands, continuation lines with it, in any line ending', () => {
  const message = octets('From: a\r\nTo:\n b,\n\tc\nSubject : d\r\n\r\nBcc: body\r\n')
  const { fields, end, bodyStart } = listRawFields(message)
  assert.deepEqual(
    fields.map((field) => [field.name, text(message.subarray(field.start, field.end))]),
    [
      ['from', 'From: a\r\n'],
      ['to', 'To:\n b,\n\tc\n'],
      ['subject', 'Subject : d\r\n'],
    ],
  )
  assert.equal(text(message.subarray(end)), '\r\nBcc: body\r\n')
  assert.equal(text(message.subarray(bodyStart)), 'Bcc: body\r\n')
})

test('Bcc goes in every spelling and number, folded or not, and nothing else does (check 129)', () => {
  const kept = 'From: a\r\nX-Bcc: kept\r\nTo: b\r\n'
  const blind = 'bCC : x@y.example,\r\n\tz@y.example\r\n'
  const body = '\r\nBcc: in the body\r\n\xff\0'
  const message = octets(`${blind}${kept}Resent-Bcc: q\r\n${blind}${body}`)
  assert.equal(text(withoutBcc(message)), `${kept}${body}`)
})

test('a Bcc behind more fields than are ever read goes too', () => {
  const many = 'X-A: b\r\n'.repeat(20_000)
  assert.equal(text(withoutBcc(octets(`${many}Bcc: a@b.example\r\n\r\n`))), `${many}\r\n`)
})

test('without such a field the octets are the same ones', () => {
  const message = octets('From: a\r\n\r\nx')
  assert.equal(withoutBcc(message), message)
  assert.equal(withoutFields(octets(''), () => true).length, 0)
})

test('a header without a blank line ends where the body begins', () => {
  const message = octets('From: a\r\nSubject: b\r\nno field\r\nmore\r\n')
  const { fields, bodyStart } = listRawFields(message)
  assert.equal(fields.length, 2)
  assert.equal(text(message.subarray(bodyStart)), 'no field\r\nmore\r\n')
})
