import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mailServers, type TestMailServer } from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
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

test('the servers end with the process that started them, however it ends', async () => {
  const start = `import(${JSON.stringify(import.meta.resolve('./start.ts'))})
    .then(({ startMailServers }) => startMailServers()).then(({ value }) => console.log(value))`
  const owner = spawn(process.execPath, ['--eval', start], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(owner.stdout, 'data')) as [Buffer]
  const addresses = Object.values(
    JSON.parse(line.toString()) as Record<string, { readonly imapPort: number }>,
  )
  assert.equal(addresses.length, 3)
  for (const { imapPort } of addresses) assert.equal(await accepts(imapPort), true)
  owner.kill('SIGKILL')
  for (const { imapPort } of addresses) await waitUntilGone(imapPort)
})

async function waitUntilGone(port: number): Promise<void> {
  const end = Date.now() + 10_000
  while (await accepts(port)) {
    assert.ok(Date.now() < end, `port ${String(port)} still answers`)
    await sleep(50)
  }
}
