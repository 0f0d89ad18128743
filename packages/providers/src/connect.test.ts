import { Fault, silentLog } from '@postern/core'
import { startScriptedImap } from '@postern/fixtures'
import type { Call } from '@postern/mail'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createProviders, type InboxHandle } from './connect.ts'

const handle: InboxHandle = {
  inboxId: randomUUID(),
  credentialVersion: 1,
  emailAddress: 'owner@home.example',
  ownerAddresses: ['owner@home.example'],
  folderRoles: {},
}

function call(): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + 5_000), log: silentLog }
}

test('opening an inbox dials nothing; a verb does; draining closes it', async () => {
  const server = await startScriptedImap()
  const providers = createProviders({ allowPrivateHosts: true })
  const credential = { host: '127.0.0.1', port: server.port, tls: 'none', username: 'u', password: 'p' }
  const mail = await providers.open('imap', handle, credential)
  assert.equal(server.peak(), 0)
  const folders = await mail.listFolders('known', call())
  assert.deepEqual(
    folders.map(({ folderId, role }) => [folderId, role]),
    [['INBOX', 'inbox']],
  )
  assert.equal(providers.stats().connections, 1)
  await providers.drain(handle.inboxId)
  assert.equal(providers.stats().connections, 0)
  await providers.close()
  await server.close()
})

test('a sandbox opens without a server, and is what the table says of it', async () => {
  const providers = createProviders({ allowPrivateHosts: false })
  const credential = { startedAt: '2026-11-01T00:00:00.000Z' }
  const mail = await providers.open('sandbox', handle, credential)
  assert.equal(mail.provider, 'sandbox')
  assert.deepEqual(mail.capabilities, providers.capabilities('sandbox'))
  const page = await mail.listMessages(
    'INBOX',
    { isUnreadOnly: false },
    { limit: 5, offset: 0, after: null },
    call(),
  )
  assert.equal(page.messages.length, 5)
  assert.equal((await providers.check('sandbox', credential, call())).ok, true)
  await providers.close()
})

test('a credential that is none is refused before anything is dialled', async () => {
  const providers = createProviders({ allowPrivateHosts: true })
  const good = { host: 'mail.example', port: 993, tls: 'implicit', username: 'u', password: 'p' }
  const bad = [
    null,
    {},
    { ...good, host: 'mail.example\r\nX' },
    { ...good, host: 'mail.example/x' },
    { ...good, host: '-x.example' },
    { ...good, port: 0 },
    { ...good, tls: 'opportunistic' },
    { ...good, username: 'u\r\nA1 DELETE INBOX' },
    { ...good, password: 'p\0' },
    { ...good, more: true },
  ]
  for (const credential of bad) {
    const isRefused = (error: unknown): boolean =>
      error instanceof Fault && error.code === 'invalid_arguments'
    await assert.rejects(providers.open('imap', handle, credential), isRefused, JSON.stringify(credential))
    await assert.rejects(providers.check('imap', credential, call()), isRefused, JSON.stringify(credential))
  }
  await assert.rejects(providers.open('sandbox', handle, {}))
  for (const host of ['mail.example', '127.0.0.1', '[::1]', '::1', 'x', 'mail.example.']) {
    assert.ok(providers.credentialSchema('imap').safeParse({ ...good, host }).success, host)
  }
})

test('the library of a provider is not loaded before its first connection', async () => {
  // In a process of its own: this one has it already.
  const script = `
    import { registerHooks } from 'node:module'
    let loaded = 0
    registerHooks({
      load(url, context, next) {
        if (url.includes('/imapflow/')) loaded += 1
        return next(url, context)
      },
    })
    const { createProviders } = await import(${JSON.stringify(new URL('./connect.ts', import.meta.url).href)})
    createProviders({ allowPrivateHosts: true })
    const before = loaded
    await import('imapflow')
    process.stdout.write(JSON.stringify([before, loaded > 0]))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.equal(stdout, '[0,true]')
})
