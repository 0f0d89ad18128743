import { silentLog } from '@postern/core'
import { mailServerNames, mailServers, type MailServerName } from '@postern/fixtures'
import type { Call } from '@postern/mail'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { checkConnection } from './check-connection.ts'
import type { ImapCredential } from './credential.ts'
import { createImapAdapter, createImapPool, FolderCache, type ImapPool } from './index.ts'

const pools: ImapPool[] = []
after(() => Promise.all(pools.map((pool) => pool.close())))

function call(): Call {
  return { signal: new AbortController().signal, deadline: new Date(Date.now() + 30_000), log: silentLog }
}

async function credentialOf(
  name: MailServerName,
  user: number,
  tls: 'implicit' | 'starttls' = 'implicit',
): Promise<ImapCredential> {
  const server = mailServers()[name]
  const { username, password } = server.user(user)
  const port = tls === 'implicit' ? server.imapsPort : server.imapPort
  return { host: server.host, port, tls, username, password, caPem: await readFile(server.caFile, 'utf8') }
}

for (const name of mailServerNames) {
  describe(`${name}, as it really is`, () => {
    test('is reached with TLS from the start and by STARTTLS', async () => {
      for (const tls of ['implicit', 'starttls'] as const) {
        const check = await checkConnection(
          await credentialOf(name, 1, tls),
          { allowPrivateHosts: true },
          call(),
        )
        assert.deepEqual([check.ok, check.step, check.reason], [true, 'done', null], tls)
      }
    })

    test('refuses a wrong password as such, and a certificate that nobody vouches for', async () => {
      const credential = await credentialOf(name, 1)
      const wrong = await checkConnection(
        { ...credential, password: 'wrong' },
        { allowPrivateHosts: true },
        call(),
      )
      assert.deepEqual([wrong.ok, wrong.step, wrong.reason], [false, 'login', 'login_refused'])
      const { caPem: _, ...untrusting } = credential
      const untrusted = await checkConnection(untrusting, { allowPrivateHosts: true }, call())
      assert.deepEqual([untrusted.ok, untrusted.step, untrusted.reason], [false, 'tls', 'tls_untrusted'])
    })

    test('check 247: twenty calls at once on one account keep the cap, and all are answered', async () => {
      const pool = createImapPool({ allowPrivateHosts: true, leaseMs: 20_000 })
      pools.push(pool)
      const adapter = createImapAdapter({
        account: { inboxId: `many-${name}`, credentialVersion: 1, credential: await credentialOf(name, 2) },
        pool,
        folders: new FolderCache(),
        ownerAddresses: [],
        folderRoles: {},
      })
      let most = 0
      const listings = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const page = { limit: 5, offset: 0, after: null }
          const listing =
            index % 2 === 0
              ? await adapter.listMessages('INBOX', { isUnreadOnly: false }, page, call())
              : await adapter.listFolders('counted', call())
          most = Math.max(most, pool.stats().connections)
          return listing
        }),
      )
      assert.equal(listings.length, 20)
      assert.ok(most <= 3, `${most} connections`)
    })

    test('names its roles, or gives folders whose names tell them', async () => {
      const pool = createImapPool({ allowPrivateHosts: true })
      pools.push(pool)
      const adapter = createImapAdapter({
        account: { inboxId: `roles-${name}`, credentialVersion: 1, credential: await credentialOf(name, 3) },
        pool,
        folders: new FolderCache(),
        ownerAddresses: [],
        folderRoles: {},
      })
      const roles = (await adapter.listFolders('known', call())).map(({ role }) => role)
      for (const role of ['inbox', 'sent', 'drafts', 'trash'])
        assert.ok(
          roles.some((known) => known === role),
          role,
        )
    })
  })
}
