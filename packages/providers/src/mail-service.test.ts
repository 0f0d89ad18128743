import assert from 'node:assert/strict'
import { test } from 'node:test'
import { autoconfig } from './imap/autoconfig.ts'
import { imapCredentialSchema } from './imap/credential.ts'
import { findServiceOfDomain, findServiceOfHost, findServiceOfSmtpHost } from './mail-service.ts'
import presets from './presets.json' with { type: 'json' }

test('every preset is unambiguous, and makes a credential that can be stored', () => {
  const ids = presets.map(({ id }) => id)
  const domains = presets.flatMap((service) => service.domains)
  const hosts = presets.flatMap((service) => service.hosts)
  for (const list of [ids, domains, hosts]) assert.equal(new Set(list).size, list.length)
  for (const text of [...domains, ...hosts, ...presets.flatMap(({ authservIds }) => authservIds)]) {
    assert.equal(text, text.toLowerCase())
  }
  for (const { imap, smtp, hosts: known } of presets) {
    assert.ok(known.includes(imap.host))
    const { host, port, tls } = smtp
    imapCredentialSchema.parse({ ...imap, username: 'u', password: 'p', smtp: { host, port, tls } })
    assert.equal(tls, port === 465 ? 'implicit' : 'starttls')
  }
  const submissions = presets.flatMap(({ smtp }) => [smtp.host, ...smtp.otherHosts])
  assert.equal(new Set(submissions).size, submissions.length)
})

test('a service is found by the domain of an address and by a host, in any case', () => {
  assert.equal(findServiceOfDomain('GMX.de')?.id, 'gmx')
  assert.equal(findServiceOfHost('imap.gmail.COM.')?.id, 'gmail')
  assert.equal(findServiceOfDomain('example.org'), null)
  assert.equal(findServiceOfDomain('__proto__'), null)
})

test('check 141: the services that store a copy of what is submitted are known by their submission server', () => {
  for (const host of ['smtp.gmail.com', 'SMTP-mail.outlook.com.', 'smtp.office365.com'])
    assert.equal(findServiceOfSmtpHost(host)?.smtp.savesSentCopy, true, host)
  assert.equal(findServiceOfSmtpHost('mail.gmx.net')?.smtp.savesSentCopy, false)
  assert.equal(findServiceOfSmtpHost('smtp.firm.example'), null)
})

test('autoconfig knows services, and guesses the usual names for other domains', () => {
  const [gmail, ...more] = autoconfig('someone@gmail.com')
  assert.deepEqual(
    [gmail?.host, gmail?.port, gmail?.tls, gmail?.username],
    ['imap.gmail.com', 993, 'implicit', 'someone@gmail.com'],
  )
  assert.deepEqual(more, [])
  assert.equal(autoconfig('me@riseup.net')[0]?.username, 'me')
  const guesses = autoconfig('Jo@Example.ORG')
  assert.deepEqual([guesses[0]?.host, guesses[0]?.username], ['imap.example.org', 'Jo@Example.ORG'])
  assert.ok(guesses.every(({ tls }) => tls === 'implicit' || tls === 'starttls'))
})

test('autoconfig makes nothing of what is no address', () => {
  for (const text of [
    '',
    'x',
    '@x.y',
    'a@',
    'a@localhost',
    'a@b c.d',
    'a@b/c.d',
    'a@b:1.d',
    'a@10.0.0.1:80',
  ]) {
    assert.deepEqual(autoconfig(text), [], text)
  }
})

test('a server at this machine is no service of anybody, whatever bridge answers there', () => {
  assert.equal(findServiceOfHost('127.0.0.1'), null)
  assert.equal(findServiceOfSmtpHost('127.0.0.1'), null)
  assert.equal(findServiceOfDomain('proton.me')?.id, 'proton')
})
