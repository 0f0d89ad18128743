import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
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
