import assert from 'node:assert/strict'
import test from 'node:test'
import { Fault } from '@postern/core'
import { listRecipients } from './mailbox.ts'
import { parseMailbox, parseRecipients } from './parse-recipients.ts'

function read(...to: readonly string[]) {
  return parseRecipients({ to, cc: [], bcc: [] }).to
}

function isFault(code: string, details: Readonly<Record<string, unknown>>) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault)
    assert.equal(error.code, code)
    assert.deepEqual({ ...error.details, ...details }, error.details)
    return true
  }
}

test('a bare address and one with a name are read, the name as text', () => {
  assert.deepEqual(read('a@b.example', 'Amy Sender <amy@x.example>', '<c@d.example>', '"" <e@f.example>'), [
    { name: null, email: 'a@b.example' },
    { name: 'Amy Sender', email: 'amy@x.example' },
    { name: null, email: 'c@d.example' },
    { name: null, email: 'e@f.example' },
  ])
})

test('quotes of a name are undone, and a comma in an unquoted one belongs to it', () => {
  assert.deepEqual(
    read(
      '"Doe, \\"Jane\\" <x@y.example>" <j1@x.example>',
      'Doe, Jane <j2@x.example>',
      'J (Sales) <j3@x.example>',
    ).map(({ name }) => name),
    ['Doe, "Jane" <x@y.example>', 'Doe, Jane', 'J (Sales)'],
  )
})

test('an entry that is not exactly one mailbox is refused by field and position (check 127)', () => {
  for (const entry of [
    '"x@gmail.com x"@internal.example',
    'a@b.example, c@d.example',
    'a@b.example c@d.example',
    'a@b.example; c@d.example',
    'a@b.example, Jane <c@d.example>',
    'Jane <a@b.example>, <c@d.example>',
    'Team: a@b.example, c@d.example;',
    'Team: Jane <a@b.example>',
    'undisclosed-recipients:;',
    'Jane <a@b.example',
    'Jane a@b.example>',
    '"Jane <a@b.example>',
    '"Jane"x" <a@b.example>',
    'Jane',
    '',
    '<>',
    'Jane <>',
  ])
    assert.throws(
      () => read('ok@x.example', entry),
      isFault('recipient_invalid', { field: 'to', position: 2 }),
      entry,
    )
})

test('a line break in a recipient is refused wherever it stands (check 126)', () => {
  for (const entry of [
    'a@b.example\r\nBcc: x@y.example',
    'Jane\r\nBcc: x@y.example <a@b.example>',
    '"Jane\nX: y" <a@b.example>',
    '"Jane\\\n" <a@b.example>',
    'Jane\0 <a@b.example>',
    '\ra@b.example',
    'a@b.example\n',
  ])
    assert.throws(() => read(entry), isFault('recipient_invalid', { position: 1 }), JSON.stringify(entry))
})

test('the text of a fault names the entry in one line', () => {
  assert.throws(
    () => parseRecipients({ to: [], cc: ['a@b.example'], bcc: ['not\r\nan address'] }),
    (error) => error instanceof Fault && error.public.startsWith('Entry 1 of bcc, "not an address", '),
  )
  assert.throws(
    () => parseMailbox('nobody', 'from'),
    (error) => error instanceof Fault && error.public.startsWith('from, "nobody", '),
  )
})

test('50 in a field and 100 in all are allowed, one more is not', () => {
  const some = (count: number, host: string): string[] =>
    Array.from({ length: count }, (_, index) => `a${index}@${host}.example`)
  const full = { to: some(50, 'x'), cc: some(50, 'y'), bcc: [] }
  assert.equal(listRecipients(parseRecipients(full)).length, 100)
  assert.throws(
    () => parseRecipients({ to: [], cc: some(51, 'x'), bcc: [] }),
    isFault('too_many_recipients', { field: 'cc', count: 51, limit: 50 }),
  )
  assert.throws(
    () => parseRecipients({ ...full, bcc: some(1, 'z') }),
    isFault('too_many_recipients', { count: 101, limit: 100 }),
  )
})

test('who is named twice is written to once', () => {
  const recipients = parseRecipients({
    to: ['Amy@x.example', 'amy@X.example', 'b@x.example'],
    cc: ['AMY@x.example'],
    bcc: ['c@x.example', 'B@x.example'],
  })
  assert.deepEqual(listRecipients(recipients), ['Amy@x.example', 'b@x.example', 'c@x.example'])
  assert.equal(recipients.to.length, 2)
})
