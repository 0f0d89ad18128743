import { mailServers, submissionServer, type TestMailServer } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { install, list, type Installation } from './support/postern.ts'

describe('connecting a mailbox by IMAP', () => {
  let server: TestMailServer
  let postern: Installation
  before(async () => {
    server = mailServers().dovecot
    postern = await install({ POSTERN_ALLOW_PRIVATE_HOSTS: '1' })
    await postern.start()
    await postern.json(['tenant', 'create', 'Ada'])
  })
  after(() => postern.remove())

  const connect = (n: number, ...more: string[]): string[] => {
    const { email } = server.user(n)
    return [
      'inbox',
      'connect',
      'imap',
      '--address',
      email,
      '--host',
      server.host,
      '--ca-file',
      server.caFile,
      ...more,
    ]
  }
  const implicit = (): string[] => ['--port', String(server.imapsPort), '--tls', 'implicit']
  const inboxes = async () => list((await postern.json(['inbox', 'list']))['inboxes'])

  it('works with TLS from the start, the password piped in', async () => {
    const { inbox_id: id } = await postern.json(connect(1, ...implicit(), '--password-stdin'), {
      input: 'secret\n',
    })
    assert.match(String(id), /^[0-9a-f-]{36}$/)
    assert.equal((await inboxes()).length, 1)
  })

  it('works with STARTTLS, the password in the environment', async () => {
    const args = connect(2, '--port', String(server.imapPort), '--tls', 'starttls')
    const { status } = await postern.json(args, { environment: { POSTERN_IMAP_PASSWORD: 'secret' } })
    assert.equal(status, 'connected')
  })

  it('again gives the same inbox its new password', async () => {
    const [before] = (await inboxes()).filter((inbox) => inbox['email_address'] === server.user(1).email)
    const again = await postern.json(connect(1, ...implicit(), '--password-stdin'), { input: 'secret' })
    assert.equal(again['reconnected'], true)
    assert.equal(again['inbox_id'], before?.['inbox_id'])
  })

  for (const [what, more, input, step] of [
    ['a wrong password', [], 'wrong', 'login'],
    ['a wrong port', ['--port', '9'], 'secret', 'tcp'],
    ['a name that does not exist', ['--host', 'mail.nowhere.test'], 'secret', 'resolve'],
  ] as const) {
    it(`${what} is named by its step, with advice, and changes nothing`, async () => {
      const before = await inboxes()
      const args = [...connect(3, ...implicit(), '--password-stdin'), ...more]
      const { code, message, details } = await postern.error(args, { input })
      assert.equal(code, 'provider_error')
      assert.ok(typeof details === 'object' && details !== null && 'step' in details && details.step === step)
      assert.match(String(message), /Nothing was changed/)
      assert.deepEqual(await inboxes(), before)
    })
  }

  const submission = (...more: string[]): string[] => {
    const { host, submissionsPort } = submissionServer()
    return ['--smtp-host', host, '--smtp-port', String(submissionsPort), '--smtp-tls', 'implicit', ...more]
  }

  it('a submission server that is named is tried too, and told by doctor', async () => {
    const args = connect(5, ...implicit(), ...submission(), '--password-stdin')
    const connected = await postern.json(args, { input: 'secret' })
    assert.equal(connected['submission_host'], submissionServer().host)
    const reading = await postern.json(connect(6, ...implicit(), '--password-stdin'), { input: 'secret' })
    assert.equal(reading['submission_host'], null)
    const report = JSON.stringify(await postern.json(['doctor']))
    assert.match(report, /its submission server takes its mail/)
    assert.match(report, /cannot send: no submission server is named/)
  })

  for (const [what, option] of [
    ['a submission server that does not answer', '--smtp-port'],
    ['another password for sending that is wrong', '--smtp-password-file'],
  ] as const) {
    it(`check 142: ${what} is told apart from reading, and changes nothing`, async (t) => {
      const before = await inboxes()
      const folder = await mkdtemp(join(tmpdir(), 'postern-password-'))
      t.after(() => rm(folder, { recursive: true }))
      const file = join(folder, 'password')
      await writeFile(file, 'wrong\n')
      const more = [option, option === '--smtp-port' ? '9' : file]
      const args = [...connect(7, ...implicit(), ...submission(), '--password-stdin'), ...more]
      const { code, message, details } = await postern.error(args, { input: 'secret' })
      assert.equal(code, 'provider_error', String(message))
      assert.match(JSON.stringify(details), /"step":"submission"/)
      assert.match(String(message), /The mailbox can be read, but .* Nothing was changed/)
      assert.deepEqual(await inboxes(), before)
    })
  }

  it('an untrusted certificate is refused, and so is a server without TLS that was not asked for', async () => {
    const { email } = server.user(4)
    const base = ['inbox', 'connect', 'imap', '--address', email, '--host', server.host, '--password-stdin']
    const untrusted = await postern.error([...base, ...implicit()], { input: 'secret' })
    assert.match(JSON.stringify(untrusted['details']), /"step":"tls"/)
    const plain = [...base, '--port', String(server.imapPort), '--tls', 'implicit']
    assert.match(JSON.stringify((await postern.error(plain, { input: 'secret' }))['details']), /"step":"tls"/)
  })

  it('without a private network allowed a loopback server is not dialled', async () => {
    const environment = { POSTERN_ALLOW_PRIVATE_HOSTS: '0' }
    const refused = await postern.error(connect(5, ...implicit(), '--password-stdin'), {
      input: 'secret',
      environment,
    })
    assert.match(JSON.stringify(refused['details']), /private_address|port_not_allowed/)
  })
})
