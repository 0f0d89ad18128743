import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

async function store(bench: ToolBench, raw: Uint8Array): Promise<string> {
  bench.inboxes[0]?.mailbox.append('INBOX', { raw, receivedAt: bench.now })
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', limit: 1 })) as {
    messages: { message_id: string }[]
  }
  return messages[0]?.message_id ?? ''
}

test('the whole answer: the stored octets by digest, by link, and inline on demand', async () => {
  const bench = createToolBench()
  const raw = Buffer.concat([buildMessage({ body: 'Caf\u00e9' }), Buffer.from([0x00, 0xff, 0x0d, 0x0a])])
  const id = await store(bench, raw)
  const result = await bench.call('email_read', { action: 'original', message_id: id, inline: true })
  const url = `https://postern.example/files/${id}/original`
  assert.deepEqual(answerOf(result), {
    message_id: id,
    mime_type: 'message/rfc822',
    size_bytes: raw.length,
    sha256: createHash('sha256').update(raw).digest('hex'),
    download_url: url,
    download_expires_at: '2026-11-16T12:10:00.000Z',
    download_uses: 3,
    inbox_id: bench.inboxes[0]?.record.inboxId,
    untrusted_content: true,
  })
  const [, link, resource] = result.content
  assert.deepEqual(link, {
    type: 'resource_link',
    uri: url,
    name: 'message.eml',
    mimeType: 'message/rfc822',
    size: raw.length,
  })
  assert.ok(resource?.type === 'resource')
  assert.deepEqual(Buffer.from(resource.resource.blob, 'base64'), raw)
})

test('above 64 KiB there is the link alone, and a note; unasked there are no octets either', async () => {
  const bench = createToolBench()
  const long = await store(bench, buildMessage({ body: 'x'.repeat(70_000) }))
  const result = await bench.call('email_read', { action: 'original', message_id: long, inline: true })
  assert.equal(result.content.length, 2)
  assert.match(String((answerOf(result)['notes'] as string[])[0]), /64 KiB/)
  const short = await store(bench, buildMessage())
  assert.equal((await bench.call('email_read', { action: 'original', message_id: short })).content.length, 2)
})

test('a message that is not there is not found, and one above 25 MB is not handed out', async () => {
  const bench = createToolBench()
  const gone = await bench.call('email_read', { action: 'original', message_id: `m_${'A'.repeat(40)}` })
  assert.equal(errorOf(gone)['error_code'], 'message_not_found')
  const huge = await store(bench, buildMessage({ body: 'x'.repeat(25 * 1024 * 1024) }))
  const refused = await bench.call('email_read', { action: 'original', message_id: huge })
  assert.equal(errorOf(refused)['error_code'], 'message_too_large')
})
