import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { ToolResult } from '../../context.ts'

interface File {
  readonly type: string
  readonly name?: string
  readonly encoding?: string
  readonly content: string
}

async function store(bench: ToolBench, ...files: readonly File[]): Promise<string> {
  const parts = files.flatMap(({ type, name, encoding, content }) => [
    '--b',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment${name === undefined ? '' : `; filename="${name}"`}`,
    ...(encoding === undefined ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
    '',
    content,
  ])
  const body = ['--b', 'Content-Type: text/plain', '', 'See the files.', ...parts, '--b--'].join('\r\n')
  bench.inboxes[0]?.mailbox.append('INBOX', {
    raw: buildMessage({ contentType: 'multipart/mixed; boundary=b', body }),
    receivedAt: bench.now,
  })
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', limit: 1 })) as {
    messages: { message_id: string }[]
  }
  return messages[0]?.message_id ?? ''
}

const get = (bench: ToolBench, messageId: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
  bench.call('email_read', { action: 'attachment', message_id: messageId, ...args })

const all = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet))
const sha256 = (octets: Uint8Array): string => createHash('sha256').update(octets).digest('hex')
const base64 = (octets: Uint8Array): string =>
  Buffer.from(octets).toString('base64').replace(/.{76}/g, '$&\r\n')
const bytes = { type: 'application/octet-stream', encoding: 'base64', content: base64(all) }

test('the whole answer, and a link behind it', async () => {
  const bench = createToolBench()
  const id = await store(bench, { ...bytes, name: 'all.bin' })
  const result = await get(bench, id)
  const url = `https://postern.example/files/${id}/2`
  assert.deepEqual(answerOf(result), {
    message_id: id,
    attachment_index: 0,
    filename: 'all.bin',
    mime_type: 'application/octet-stream',
    size_bytes: 256,
    inline: false,
    sha256: sha256(all),
    download_url: url,
    download_expires_at: '2026-11-16T12:10:00.000Z',
    download_uses: 3,
    inbox_id: bench.inboxes[0]?.record.inboxId,
    untrusted_content: true,
  })
  assert.deepEqual(result.content.slice(1), [
    { type: 'resource_link', uri: url, name: 'all.bin', mimeType: 'application/octet-stream', size: 256 },
  ])
})

test('check 96: inline, all 256 octets arrive as they were sent, whatever the transfer encoding', async () => {
  const bench = createToolBench()
  const escaped = [...all]
    .map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')
    .replace(/.{72}/g, '$&=\r\n')
  for (const file of [bytes, { ...bytes, encoding: 'quoted-printable', content: escaped }]) {
    const result = await get(bench, await store(bench, file), { inline: true })
    assert.equal(answerOf(result)['sha256'], sha256(all))
    const [, , resource] = result.content
    assert.ok(resource?.type === 'resource')
    assert.deepEqual(Buffer.from(resource.resource.blob, 'base64'), all)
  }
})

test('pictures and sounds are shown as such; a drawing that may hold scripts, and any text, as a file', async () => {
  const bench = createToolBench()
  const kinds: readonly (readonly [type: string, shown: string])[] = [
    ['image/png', 'image'],
    ['audio/mpeg', 'audio'],
    ['image/svg+xml', 'resource'],
    ['text/html', 'resource'],
  ]
  for (const [type, shown] of kinds) {
    const result = await get(bench, await store(bench, { ...bytes, type }), { inline: true })
    const [, link, content] = result.content
    assert.deepEqual([link?.type, content?.type], ['resource_link', shown], type)
    assert.equal(result.content.length, 3)
  }
})

test('above 1 MiB there is the link alone, and a note', async () => {
  const bench = createToolBench()
  const large = Buffer.alloc(1024 * 1024 + 1, 'a')
  const result = await get(bench, await store(bench, { ...bytes, content: base64(large) }), { inline: true })
  const answer = answerOf(result)
  assert.deepEqual([answer['size_bytes'], answer['sha256']], [large.length, sha256(large)])
  assert.equal(result.content.length, 2)
  assert.match(String((answer['notes'] as string[])[0]), /larger than the 1 MiB/)
  const small = large.subarray(0, 1024 * 1024)
  const fits = await get(bench, await store(bench, { ...bytes, content: base64(small) }), { inline: true })
  assert.equal(fits.content.length, 3)
})

test('more than 25 MB are not handed out', async () => {
  const bench = createToolBench()
  const content = base64(Buffer.alloc(25 * 1024 * 1024 + 1))
  const error = errorOf(await get(bench, await store(bench, { ...bytes, content })))
  assert.equal(error['error_code'], 'attachment_too_large')
})

test('check 100: of two files none is taken for the other; indexes and sizes are told, names are not', async () => {
  const bench = createToolBench()
  const id = await store(bench, { ...bytes, name: 'ZXCANARY a.bin' }, { ...bytes, name: 'b.bin' })
  const result = await get(bench, id)
  const error = errorOf(result)
  assert.equal(error['error_code'], 'attachment_ambiguous')
  const { available } = error['details'] as { available: { attachment_index: number; size_bytes: number }[] }
  assert.deepEqual(
    available.map(({ attachment_index: index }) => index),
    [0, 1],
  )
  assert.ok(available.every(({ size_bytes: size }) => size > 200 && size < 300))
  assert.doesNotMatch(JSON.stringify(result), /ZXCANARY/)
})

test('an index beats a name; a name is taken whole and in any case; two of one name are told apart by index', async () => {
  const bench = createToolBench()
  const id = await store(
    bench,
    { ...bytes, name: 'a.bin' },
    { type: 'text/csv', name: 'Report.CSV', content: 'x' },
    { ...bytes, name: 'a.bin' },
  )
  const indexOf = async (args: Record<string, unknown>): Promise<unknown> => {
    const result = await get(bench, id, args)
    return result.isError === true ? errorOf(result)['error_code'] : answerOf(result)['attachment_index']
  }
  assert.equal(await indexOf({ filename: 'report.csv' }), 1)
  assert.equal(await indexOf({ filename: 'report.csv', attachment_index: 2 }), 2)
  assert.equal(await indexOf({ filename: 'report' }), 'attachment_not_found')
  assert.equal(await indexOf({ attachment_index: 3 }), 'attachment_not_found')
  assert.equal(await indexOf({ filename: 'A.bin' }), 'attachment_ambiguous')
})

test('checks 97 and 98: a text with a name and an attached message are files, byte for byte', async () => {
  const bench = createToolBench()
  const inner = 'From: a@b.example\r\nSubject: Inner\r\n\r\nInner body'
  const id = await store(
    bench,
    { type: 'text/plain; charset=utf-8', name: 'notes.txt', content: 'a note' },
    { type: 'message/rfc822', content: inner },
  )
  const [text, message] = await Promise.all([0, 1].map((n) => get(bench, id, { attachment_index: n })))
  assert.ok(text !== undefined && message !== undefined)
  assert.equal(answerOf(text)['sha256'], sha256(Buffer.from('a note')))
  assert.equal(answerOf(message)['sha256'], sha256(Buffer.from(inner)))
})

test('a name that nobody should see as it was sent comes clean, and can be used so', async () => {
  const bench = createToolBench()
  const id = await store(bench, { ...bytes, name: 'exe.\u202efdp' }, { ...bytes, name: 'b' })
  const answer = answerOf(await get(bench, id, { attachment_index: 0 }))
  assert.equal(answer['filename'], 'exe.fdp')
  assert.equal(answerOf(await get(bench, id, { filename: 'exe.fdp' }))['attachment_index'], 0)
})

test('a message without files says so, and a key without the scope gets nothing', async () => {
  const bench = createToolBench()
  const error = errorOf(await get(bench, await store(bench)))
  assert.equal(error['error_code'], 'attachment_not_found')
  assert.match(String(error['message']), /no attachments/)
  const id = await store(bench, bytes)
  const refused = await bench.call(
    'email_read',
    { action: 'attachment', message_id: id },
    { scopes: ['read:email'] },
  )
  assert.deepEqual((errorOf(refused)['details'] as Record<string, unknown>)['missing_scopes'], [
    'read:attachments',
  ])
})
