import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixedOutcomes, mailServers, submissionServer, type TestMailServer } from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import { createTransport, type Transporter } from 'nodemailer'
import { accepts } from './isolate.ts'

function client(server: TestMailServer, isSecure: boolean, pass: string): ImapFlow {
  return new ImapFlow({
    host: server.host,
    port: isSecure ? server.imapsPort : server.imapPort,
    secure: isSecure,
    ...(isSecure ? {} : { doSTARTTLS: true }),
    tls: { ca: readFileSync(server.caFile) },
    auth: { user: server.user(1).username, pass },
    logger: false,
  })
}

for (const name of ['dovecot', 'cyrus', 'courier'] as const) {
  for (const isSecure of [true, false]) {
    test(`${name} gives a user an inbox over ${isSecure ? 'TLS' : 'STARTTLS'}, and only with the password`, async () => {
      const server = mailServers()[name]
      const known = client(server, isSecure, server.user(1).password)
      await known.connect()
      assert.equal((await known.mailboxOpen('INBOX')).exists, 0)
      await known.logout()
      await assert.rejects(client(server, isSecure, 'wrong').connect())
    })
  }
}

function submission(server: TestMailServer, isSecure: boolean, pass: string): Transporter {
  const { host, submissionPort, submissionsPort, caFile } = submissionServer()
  return createTransport({
    host,
    port: isSecure ? submissionsPort : submissionPort,
    secure: isSecure,
    requireTLS: true,
    tls: { ca: readFileSync(caFile) },
    auth: { user: server.user(2).username, pass },
  })
}

for (const name of ['dovecot', 'cyrus', 'courier'] as const) {
  test(`what a user of ${name} submits arrives in its mailbox, over TLS and STARTTLS, and only with the password`, async () => {
    const server = mailServers()[name]
    const { email, username, password } = server.user(2)
    for (const isSecure of [true, false])
      await submission(server, isSecure, password).sendMail({ from: email, to: email, text: 'Here.' })
    await assert.rejects(submission(server, true, 'wrong').sendMail({ from: email, to: email }), {
      responseCode: 535,
    })
    const reader = new ImapFlow({
      host: server.host,
      port: server.imapsPort,
      secure: true,
      tls: { ca: readFileSync(server.caFile) },
      auth: { user: username, pass: password },
      logger: false,
    })
    await reader.connect()
    const end = Date.now() + 10_000
    while ((await reader.mailboxOpen('INBOX')).exists !== 2) {
      assert.ok(Date.now() < end, 'it did not arrive')
      await sleep(50)
    }
    await reader.logout()
  })
}

test('some recipients always get the same answer', async () => {
  const server = mailServers().dovecot
  const { email, password } = server.user(2)
  const codes: unknown[] = []
  for (const to of Object.values(fixedOutcomes))
    await assert.rejects(submission(server, true, password).sendMail({ from: email, to }), (error) => {
      codes.push(error instanceof Error && 'responseCode' in error ? error.responseCode : error)
      return true
    })
  assert.deepEqual(codes, [550, 450, 552, 554])
})

test('the servers end with the process that started them, however it ends', async () => {
  const start = `import(${JSON.stringify(import.meta.resolve('./start.ts'))})
    .then(({ startMailServers }) => startMailServers()).then(({ value }) => console.log(value))`
  const owner = spawn(process.execPath, ['--eval', start], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(owner.stdout, 'data')) as [Buffer]
  const addresses = JSON.parse(line.toString()) as Record<string, Record<string, unknown>>
  const ports = Object.values(addresses).flatMap((address) =>
    Object.values(address).filter((value) => typeof value === 'number'),
  )
  assert.equal(ports.length, 8)
  for (const port of ports) assert.equal(await accepts(port), true)
  owner.kill('SIGKILL')
  for (const port of ports) await waitUntilGone(port)
})

async function waitUntilGone(port: number): Promise<void> {
  const end = Date.now() + 10_000
  while (await accepts(port)) {
    assert.ok(Date.now() < end, `port ${String(port)} still answers`)
    await sleep(50)
  }
}
