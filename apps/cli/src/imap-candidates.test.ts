import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '@postern/core'
import { imapCandidates, type ImapOptions } from './imap-candidates.ts'

const shown = (options: ImapOptions): string[] =>
  imapCandidates(options).map(({ host, port, tls, username }) => `${tls} ${username} ${host}:${port}`)

test('a known domain has one server, whatever else is usual', () => {
  assert.deepEqual(shown({ address: 'jo@gmail.com' }), ['implicit jo@gmail.com imap.gmail.com:993'])
})

test('an unknown domain has the usual names, none twice', () => {
  const usual = shown({ address: 'jo@firm.example' })
  assert.equal(usual[0], 'implicit jo@firm.example imap.firm.example:993')
  assert.ok(usual.length > 2)
  const onePort = shown({ address: 'jo@firm.example', port: '993', tls: 'implicit' })
  assert.equal(new Set(onePort).size, onePort.length)
})

test('a preset serves an address in a domain of its own', () => {
  assert.deepEqual(shown({ address: 'jo@firm.example', preset: 'gmail' }), [
    'implicit jo@firm.example imap.gmail.com:993',
  ])
})

test('a named server needs no more; port and TLS follow each other', () => {
  const at = { address: 'jo@firm.example', host: 'mx.firm.example' }
  assert.deepEqual(shown(at), ['implicit jo@firm.example mx.firm.example:993'])
  assert.deepEqual(shown({ ...at, tls: 'starttls' }), ['starttls jo@firm.example mx.firm.example:143'])
  assert.deepEqual(shown({ ...at, port: '143' }), ['starttls jo@firm.example mx.firm.example:143'])
  assert.deepEqual(shown({ ...at, port: '21993', username: 'jo' }), ['implicit jo mx.firm.example:21993'])
})

for (const [what, options] of [
  ['an address without a domain', { address: 'jo' }],
  ['an address with a line end', { address: 'jo\r\n@firm.example' }],
  ['an unknown preset', { address: 'jo@firm.example', preset: 'nope' }],
  ['a port that is none', { address: 'jo@firm.example', port: '70000' }],
  ['an unknown way of TLS', { address: 'jo@firm.example', tls: 'maybe' }],
  ['a domain that can have no server', { address: 'jo@localhost' }],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => imapCandidates(options),
      (error) => error instanceof Fault && error.code === 'invalid_arguments',
    )
  })
}

test('the submission server is that of the service, the usual ones of a domain, or the one that is named', () => {
  const submissions = (options: ImapOptions): string[] =>
    (imapCandidates(options)[0]?.submissions ?? []).map(({ host, port, tls }) => `${tls} ${host}:${port}`)
  assert.deepEqual(submissions({ address: 'jo@gmail.com' }), ['implicit smtp.gmail.com:465'])
  assert.deepEqual(submissions({ address: 'jo@gmail.com', smtp: false }), [])
  assert.deepEqual(submissions({ address: 'jo@gmail.com', smtpPort: '587' }), ['starttls smtp.gmail.com:587'])
  assert.deepEqual(submissions({ address: 'jo@firm.example' }), [
    'implicit smtp.firm.example:465',
    'implicit mail.firm.example:465',
  ])
  const named = { address: 'jo@firm.example', host: 'mx.firm.example' }
  assert.deepEqual(submissions(named), [])
  assert.deepEqual(submissions({ ...named, smtpHost: 'out.firm.example' }), ['implicit out.firm.example:465'])
  assert.throws(() => imapCandidates({ ...named, smtpPort: '587' }), Fault)
  assert.throws(() => imapCandidates({ ...named, smtpHost: 'out.firm.example', smtpTls: 'maybe' }), Fault)
})
