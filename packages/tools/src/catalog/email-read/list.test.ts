import {
  answerOf,
  buildMessage,
  createToolBench,
  errorOf,
  stableResult,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { test } from 'node:test'

interface Page {
  readonly messages: readonly {
    readonly subject: string
    readonly message_id: string
    readonly row_error?: string
  }[]
  readonly has_more: boolean
  readonly next_offset: number | null
  readonly next_cursor: string | null
  readonly total: number
}

async function page(bench: ToolBench, args: Record<string, unknown> = {}): Promise<Page> {
  return answerOf(await bench.call('email_read', { action: 'list', ...args })) as unknown as Page
}

function fill(
  bench: ToolBench,
  count: number,
  init: (n: number) => Partial<Parameters<typeof buildMessage>[0]> = () => ({}),
): void {
  for (let n = 1; n <= count; n++) {
    bench.inboxes[0]?.mailbox.append('INBOX', {
      raw: buildMessage({ subject: `S${n}`, ...init(n) }),
      receivedAt: new Date(Date.UTC(2026, 10, 1, 0, n)),
      flags: { seen: n % 2 === 0 },
    })
  }
}

test('the whole answer: rows newest first, with what they hold and where they continue', async () => {
  const bench = createToolBench()
  fill(bench, 2, (n) => ({ messageId: `<s${n}@sender.example>`, body: `Body ${n}` }))
  assert.deepEqual(stableResult(answerOf(await bench.call('email_read', { action: 'list', limit: 1 }))), {
    messages: [
      {
        message_id: '<message 1>',
        thread_id: null,
        folder_id: 'INBOX',
        from: { name: 'Amy Sender', email: 'amy@sender.example' },
        to: ['owner@home.example'],
        subject: 'S2',
        date: '2026-11-01T00:02:00.000Z',
        snippet: 'Body 2',
        size_bytes: 218,
      },
    ],
    inbox_id: '<uuid 1>',
    folder_id: 'INBOX',
    total: 2,
    total_is_estimate: false,
    has_more: true,
    next_offset: 1,
    next_cursor: '<cursor>',
    untrusted_content: true,
  })
})

test('check 40: an offset past the end is an empty page, no error, and next_offset is there as null', async () => {
  const bench = createToolBench()
  fill(bench, 3)
  const { messages, has_more, next_offset, next_cursor } = await page(bench, { offset: 50 })
  assert.deepEqual(
    { messages, has_more, next_offset, next_cursor },
    { messages: [], has_more: false, next_offset: null, next_cursor: null },
  )
})

test('check 41: mail that arrives between pages repeats and hides no row for who pages by cursor', async () => {
  const bench = createToolBench()
  fill(bench, 7)
  const first = await page(bench, { limit: 3 })
  bench.inboxes[0]?.mailbox.append('INBOX', { raw: buildMessage({ subject: 'new' }), receivedAt: bench.now })
  const second = await page(bench, { limit: 3, cursor: first.next_cursor })
  const third = await page(bench, { limit: 3, cursor: second.next_cursor })
  const subjects = [first, second, third].flatMap(({ messages }) => messages.map(({ subject }) => subject))
  assert.deepEqual(subjects, ['S7', 'S6', 'S5', 'S4', 'S3', 'S2', 'S1'])
  assert.equal(third.next_cursor, null)
  assert.deepEqual([first.next_offset, second.next_offset, third.next_offset], [3, 6, null])
})

test('check 42: a cursor that was changed, comes from another key or meets other filters is refused', async () => {
  const bench = createToolBench()
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Other' })
  fill(bench, 5)
  const { next_cursor: cursor } = await page(bench, { limit: 2 })
  assert.ok(cursor)
  const refused = async (args: Record<string, unknown>, principalId = 'ak_bench'): Promise<unknown> =>
    errorOf(await bench.call('email_read', { action: 'list', ...args }, { principalId }))['error_code']
  for (const at of [0, 5, Math.floor(cursor.length / 2), cursor.length - 1]) {
    const changed: string = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
    assert.equal(await refused({ cursor: changed }), 'cursor_invalid', `byte ${at}`)
  }
  assert.equal(await refused({ cursor }, 'ak_other'), 'cursor_invalid')
  assert.equal(await refused({ cursor, unread_only: true }), 'cursor_invalid')
  assert.equal(await refused({ cursor, folder: 'Other' }), 'cursor_invalid')
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'search', cursor }))['error_code'],
    'cursor_invalid',
  )
  bench.now = new Date(bench.now.getTime() + 24 * 3_600_000 + 1)
  assert.equal(await refused({ cursor }), 'cursor_expired')
})

test('check 52: three hundred long rows stay under the cap, the cut is announced and nothing is lost', async () => {
  const bench = createToolBench()
  const long = 'A very long subject that goes on \u4f1a\u8bae '.repeat(60)
  fill(bench, 300, (n) => ({ subject: `=?utf-8?B?${Buffer.from(`${n} ${long}`).toString('base64')}?=` }))
  const subjects: string[] = []
  let cursor: string | null = null
  let wasCut = false
  do {
    const result = await bench.call('email_read', {
      action: 'list',
      limit: 100,
      ...(cursor === null ? {} : { cursor }),
    })
    const text = result.content[0]?.text ?? ''
    const ascii = text.replace(/[^\x00-\x7f]/g, '').length
    assert.ok(ascii / 4 + (text.length - ascii) <= 20_000)
    const answer = answerOf(result) as unknown as Page & { truncated?: boolean }
    wasCut ||= answer.truncated === true
    subjects.push(...answer.messages.map(({ subject }) => subject.split(' ')[0] ?? ''))
    cursor = answer.next_cursor
  } while (cursor !== null)
  assert.ok(wasCut)
  assert.deepEqual(
    subjects,
    Array.from({ length: 300 }, (_, index) => String(300 - index)),
  )
})

test('check 70: a page of unread mail fits the budget of a page of rows', async () => {
  const bench = createToolBench()
  fill(bench, 500, (n) => ({
    subject: `Quarterly figures for the northern region, part ${n}`,
    body: 'Please find the figures that we spoke about last week, with the comments of both offices, below.',
  }))
  const result = await bench.call('email_read', { action: 'list', unread_only: true })
  assert.equal((answerOf(result) as unknown as Page).messages.length, 20)
  assert.ok((result.content[0]?.text.length ?? 0) / 4 < 2_500)
})

test('check 84: a folder that does not exist is an error, not an empty page', async () => {
  const bench = createToolBench()
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'list', folder: 'Nowhere' }))['error_code'],
    'folder_not_found',
  )
})

test('check 93: a message the server describes badly keeps its place in the page, and its neighbours are whole', async () => {
  const bench = createToolBench()
  fill(bench, 3)
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  const ref = inbox.mailbox.append('INBOX', { raw: buildMessage(), receivedAt: bench.now })
  inbox.faults = { brokenMessages: new Set([Buffer.from(ref.locator).toString('hex')]) }
  const { messages } = await page(bench)
  assert.equal(messages.length, 4)
  assert.ok(messages[0]?.row_error)
  assert.deepEqual(
    messages.slice(1).map(({ row_error }) => row_error),
    [undefined, undefined, undefined],
  )
})

test('cursor and offset together are refused, because they contradict each other', async () => {
  const bench = createToolBench()
  fill(bench, 5)
  const { next_cursor: cursor } = await page(bench, { limit: 2 })
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'list', cursor, offset: 2 }))['error_code'],
    'conflicting_arguments',
  )
})

test('pages do not reach beyond row 10,000', async () => {
  const bench = createToolBench()
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'list', offset: 10_000 }))['error_code'],
    'query_too_broad',
  )
})
