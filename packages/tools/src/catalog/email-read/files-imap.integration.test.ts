import {
  answerOf,
  buildMessage,
  createToolBench,
  mailServerNames,
  mailServers,
  openImapMailbox,
} from '@postern/fixtures'
import { ImapFlow } from 'imapflow'
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

/*
 * Files over real servers: what a sender attached is what comes out, however it was encoded on the way.
 */

const all = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))
const large = randomBytes(3 * 1024 * 1024 + 1)
const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex')
const base64 = (octets: Uint8Array): string =>
  Buffer.from(octets).toString('base64').replace(/.{76}/g, '$&\r\n')
const quoted = (octets: Uint8Array): string =>
  Array.from(octets, (octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
    .replace(/.{72}/g, '$&=\r\n')

const files: readonly (readonly [encoding: string, content: string, octets: Uint8Array])[] = [
  ['base64', base64(all), all],
  ['quoted-printable', quoted(all), all],
  ['8bit', 'Z\u00fcrich', Buffer.from('Z\u00fcrich')],
  ['base64', base64(large), large],
]

for (const [n, name] of mailServerNames.entries()) {
  test(`check 96: on ${name} files of every encoding arrive with the digest they were sent with`, async () => {
    const server = mailServers()[name]
    const user = server.user(70 + n)
    const mailbox = await openImapMailbox(server, user)
    const client = new ImapFlow({
      host: server.host,
      port: server.imapsPort,
      secure: true,
      auth: { user: user.username, pass: user.password },
      tls: { ca: await readFile(server.caFile, 'utf8') },
      logger: false,
    })
    await client.connect()
    const parts = files.flatMap(([encoding, content], index) => [
      '--b',
      `Content-Type: application/octet-stream; name="${index}.bin"`,
      `Content-Disposition: attachment; filename="${index}.bin"`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      content,
    ])
    const body = ['--b', 'Content-Type: text/plain', '', 'See the files.', ...parts, '--b--'].join('\r\n')
    const raw = buildMessage({ contentType: 'multipart/mixed; boundary=b', body })
    await client.append('INBOX', Buffer.from(raw))
    await client.logout()

    const bench = createToolBench({ isEmpty: true })
    bench.addInbox({ provider: 'imap', emailAddress: user.email }, mailbox.mail)
    const ask = async (args: Record<string, unknown>): Promise<Record<string, unknown>> =>
      answerOf(await bench.call('email_read', args))
    try {
      const [row] = (await ask({ action: 'list' }))['messages'] as { message_id: string }[]
      const message_id = row?.message_id
      for (const [index, [, , octets]] of files.entries()) {
        const answer = await ask({ action: 'attachment', message_id, filename: `${index}.BIN` })
        assert.deepEqual(
          [answer['attachment_index'], answer['size_bytes'], answer['sha256']],
          [index, octets.length, sha256(octets)],
        )
      }
      const original = await ask({ action: 'original', message_id })
      assert.deepEqual([original['size_bytes'], original['sha256']], [raw.length, sha256(raw)])
      const after = (await ask({ action: 'list' }))['messages'] as { unread?: true }[]
      assert.equal(after[0]?.unread, true)
    } finally {
      await mailbox.close()
    }
  })
}
