import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import { createLog } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'

interface Batch {
  readonly messages: readonly {
    readonly message_id: string
    readonly body: string
    readonly subject: string
  }[]
  readonly failed: readonly { readonly message_id: string; readonly code: string }[]
  readonly remaining_message_ids?: readonly string[]
  readonly truncated?: boolean
}

async function idsOf(bench: ToolBench, bodies: readonly string[]): Promise<string[]> {
  for (const [n, body] of bodies.entries()) {
    bench.inboxes[0]?.mailbox.append('INBOX', {
      raw: buildMessage({ subject: `B${n}`, body }),
      receivedAt: bench.now,
    })
  }
  const { messages } = answerOf(await bench.call('email_read', { action: 'list', limit: 100 })) as {
    messages: { message_id: string }[]
  }
  return messages.map(({ message_id }) => message_id).reverse()
}

async function batch(bench: ToolBench, args: Record<string, unknown>): Promise<Batch> {
  return answerOf(await bench.call('email_read', { action: 'read_batch', ...args })) as unknown as Batch
}

function bodyLength({ body }: { readonly body: string }): number {
  return body.split('\n').slice(1, -1).join('\n').length
}

test('check 104: a missing message is reported beside those that were read; all missing is an error', async () => {
  const bench = createToolBench()
  const [id = ''] = await idsOf(bench, ['here'])
  const unknown = `m_${'A'.repeat(40)}`
  const answer = await batch(bench, { message_ids: [id, unknown] })
  assert.deepEqual(
    [answer.messages.length, answer.failed],
    [1, [{ message_id: unknown, code: 'message_not_found' }]],
  )
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'read_batch', message_ids: [unknown] }))['error_code'],
    'message_not_found',
  )
})

test('messages come in the order asked, each once', async () => {
  const bench = createToolBench()
  const [a = '', b = '', c = ''] = await idsOf(bench, ['a', 'b', 'c'])
  const answer = await batch(bench, { message_ids: [c, a, c, b, a] })
  assert.deepEqual(
    answer.messages.map(({ subject }) => subject),
    ['B2', 'B0', 'B1'],
  )
})

test('24,000 characters are shared evenly, and what a short body leaves passes on', async () => {
  const bench = createToolBench()
  const ids = await idsOf(bench, ['short', 'x'.repeat(30_000), 'y'.repeat(30_000)])
  const answer = await batch(bench, { message_ids: ids, body_max_chars: 50_000 })
  assert.deepEqual(answer.messages.map(bodyLength), [5, 11_997, 11_998])
})

test('a batch beyond the cap cuts bodies first, then leaves messages out and names them', async () => {
  const bench = createToolBench()
  const ids = await idsOf(
    bench,
    Array.from({ length: 50 }, () => '\u4f1a\u8bae'.repeat(2_000)),
  )
  const answer = await batch(bench, { message_ids: ids })
  assert.equal(answer.truncated, true)
  assert.ok(answer.messages.every((message) => bodyLength(message) <= 500))
  assert.deepEqual(
    [...answer.messages.map(({ message_id }) => message_id), ...(answer.remaining_message_ids ?? [])],
    ids,
  )
})

test('a body that was cut says with which call it goes on', async () => {
  const bench = createToolBench()
  const whole = Array.from({ length: 500 }, (_, n) => `Line ${n}.`).join('\n')
  const [id = ''] = await idsOf(bench, [whole.replaceAll('\n', '\r\n')])
  const [message] = (await batch(bench, { message_ids: [id], links: 'none' })).messages as unknown as {
    body: string
    body_continue: Record<string, unknown>
  }[]
  assert.ok(message)
  assert.deepEqual(Object.keys(message.body_continue), ['action', 'message_id', 'body_offset', 'links'])
  const rest = answerOf(await bench.call('email_read', message.body_continue)) as { body: string }
  const lines = [message, rest].map(({ body }) => body.split('\n').slice(1, -1).join('\n'))
  assert.equal(lines.join(''), whole)
})

test('check 37: an id of another inbox is told from a missing one, and where it is read is noted', async () => {
  const bench = createToolBench()
  const [id = ''] = await idsOf(bench, ['here'])
  const other = bench.addInbox()
  other.mailbox.append('INBOX', { raw: buildMessage(), receivedAt: bench.now })
  const list = { action: 'list', inbox_id: other.record.inboxId }
  const listed = answerOf(await bench.call('email_read', list)) as { messages: { message_id: string }[] }
  const elsewhere = listed.messages[0]?.message_id ?? ''
  const answer = answerOf(
    await bench.call('email_read', {
      action: 'read_batch',
      message_ids: [id, elsewhere],
      inbox_id: bench.inboxes[0]?.record.inboxId,
    }),
  )
  assert.deepEqual(answer['failed'], [{ message_id: elsewhere, code: 'inbox_mismatch' }])
  assert.match((answer['notes'] as string[]).join(), new RegExp(other.record.inboxId))
})

test("a caller that leaves ends the batch, as nobody's failure", async () => {
  const bench = createToolBench()
  const [id = ''] = await idsOf(bench, ['here'])
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.faults = { stalledVerbs: new Set(['readParts']) }
  const leaving = new AbortController()
  const lines: string[] = []
  const log = createLog('debug', (line) => lines.push(line))
  const reading = bench.call(
    'email_read',
    { action: 'read_batch', message_ids: [id] },
    { signal: leaving.signal, log },
  )
  setImmediate(() => leaving.abort(new Error('gone')))
  errorOf(await reading)
  assert.deepEqual(lines, [])
})
