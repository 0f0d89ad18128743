import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import { Fault } from '@postern/core'
import { estimateTokens } from '@postern/mail'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

interface Waited {
  readonly matched: boolean
  readonly timed_out: boolean
  readonly waited_seconds: number
  readonly cursor: string
  readonly messages: readonly {
    readonly subject: string
    readonly snippet?: string
    readonly body?: string
    readonly body_continue?: unknown
    readonly row_error?: string
  }[]
  readonly complete: boolean
  readonly folders_searched: readonly string[]
  readonly notes?: readonly string[]
  readonly truncated?: boolean
  readonly untrusted_boundary?: string
  readonly resolved: { readonly since: string | null }
}

const secondMs = 1_000

/** A message that was received so many seconds before the bench's now. */
function deliver(
  bench: ToolBench,
  subject: string,
  secondsAgo = 0,
  options: { folder?: string; body?: string } = {},
) {
  const mailbox = bench.inboxes[0]?.mailbox ?? assert.fail('no inbox')
  return mailbox.append(options.folder ?? 'INBOX', {
    raw: buildMessage({ subject, body: options.body ?? 'Your code is 123456.' }),
    receivedAt: new Date(bench.now.getTime() - secondsAgo * secondMs),
  })
}

async function wait(bench: ToolBench, args: Record<string, unknown> = {}): Promise<Waited> {
  return answerOf(await bench.call('email_wait', { timeout_seconds: 0, ...args })) as unknown as Waited
}

const subjects = ({ messages }: Waited): string[] => messages.map(({ subject }) => subject)

describe('what is there already', () => {
  test('check 105: a code that arrived 30 s before the call is answered at once', async () => {
    const bench = createToolBench()
    deliver(bench, 'Old', 600)
    deliver(bench, 'Your code', 30)
    const answer = await wait(bench, { subject: 'code', timeout_seconds: 50 })
    assert.deepEqual([answer.matched, answer.timed_out, subjects(answer)], [true, false, ['Your code']])
    assert.equal(answer.waited_seconds, 0)
    assert.equal(answer.complete, true)
    assert.deepEqual(answer.folders_searched, ['INBOX'])
  })

  test('since says from when mail that is there counts; the oldest comes first and cursor brings the others', async () => {
    const bench = createToolBench()
    for (const index of [1, 2, 3]) deliver(bench, `n${String(index)}`, 3_000 - index)
    const first = await wait(bench, { since: '1h', limit: 2 })
    assert.deepEqual(subjects(first), ['n1', 'n2'])
    assert.match(first.notes?.join(' ') ?? '', /next call with cursor/)
    const second = await wait(bench, { cursor: first.cursor })
    assert.deepEqual(subjects(second), ['n3'])
    assert.equal((await wait(bench, { cursor: second.cursor })).matched, false)
  })
})

describe('what arrives', () => {
  test('check 106: nothing in time is a success with timed_out and cursor; mail that comes later is answered once', async () => {
    const bench = createToolBench()
    const none = await wait(bench, { timeout_seconds: 1 })
    assert.deepEqual([none.matched, none.timed_out, none.messages], [false, true, []])
    assert.ok(none.waited_seconds >= 1)
    deliver(bench, 'Later')
    const next = await wait(bench, { cursor: none.cursor, timeout_seconds: 20 })
    assert.deepEqual(subjects(next), ['Later'])
    assert.deepEqual(subjects(await wait(bench, { cursor: next.cursor })), [])
  })

  test('mail that comes during the wait ends it, and what does not match does not', async () => {
    const bench = createToolBench()
    const waiting = wait(bench, { subject: 'reply', timeout_seconds: 20 })
    await sleep(50)
    deliver(bench, 'Newsletter')
    await sleep(50)
    deliver(bench, 'A reply')
    assert.deepEqual(subjects(await waiting), ['A reply'])
  })

  test('check 109: equal cursors give equal answers on every instance, old mail that arrives late among them', async () => {
    const bench = createToolBench()
    const { cursor } = await wait(bench)
    deliver(bench, 'Imported', 100_000_000)
    deliver(bench, 'Fresh')
    const answers = await Promise.all([wait(bench, { cursor }), wait(bench, { cursor })])
    for (const answer of answers) assert.deepEqual(subjects(answer), ['Imported', 'Fresh'])
  })

  test('a folder that was rebuilt gives no message twice and leaves none out', async () => {
    const bench = createToolBench()
    deliver(bench, 'Seen', 10)
    const first = await wait(bench)
    bench.inboxes[0]?.mailbox.rebuild('INBOX')
    deliver(bench, 'Behind')
    const second = await wait(bench, { cursor: first.cursor })
    assert.deepEqual([subjects(first), subjects(second)], [['Seen'], ['Behind']])
  })

  test('folders are those named by include_folders or by the query, at most five', async () => {
    const bench = createToolBench()
    const mailbox = bench.inboxes[0]?.mailbox ?? assert.fail()
    for (const path of ['Work', 'A', 'B', 'C', 'D']) mailbox.addFolder({ path })
    deliver(bench, 'At work', 5, { folder: 'Work' })
    assert.deepEqual(subjects(await wait(bench)), [])
    assert.deepEqual(subjects(await wait(bench, { include_folders: ['work'] })), ['At work'])
    assert.deepEqual(subjects(await wait(bench, { query: 'in:Work' })), ['At work'])
    const refused = await bench.call('email_wait', { include_folders: ['INBOX', 'Work', 'A', 'B', 'C', 'D'] })
    assert.equal(errorOf(refused)['error_code'], 'invalid_arguments')
    const unknown = await bench.call('email_wait', { include_folders: ['Nowhere'] })
    assert.equal(errorOf(unknown)['error_code'], 'folder_not_found')
  })
})

describe('the cursor', () => {
  test('other filters, another key, another tool and a changed letter are cursor_invalid', async () => {
    const bench = createToolBench()
    const { cursor } = await wait(bench, { subject: 'code' })
    const refusal = async (args: Record<string, unknown>, as = {}): Promise<unknown> =>
      errorOf(await bench.call('email_wait', { timeout_seconds: 0, ...args }, as))['error_code']
    assert.equal(await refusal({ cursor, subject: 'other' }), 'cursor_invalid')
    assert.equal(await refusal({ cursor }, { principalId: 'ak_other' }), 'cursor_invalid')
    assert.equal(await refusal({ cursor: `x${cursor}` }), 'cursor_invalid')
    const search = await bench.call('email_read', { action: 'search', cursor })
    assert.equal(errorOf(search)['error_code'], 'cursor_invalid')
    assert.equal((await wait(bench, { cursor, subject: 'code' })).timed_out, true)
    bench.now = new Date(bench.now.getTime() + 25 * 3_600 * secondMs)
    assert.equal(await refusal({ cursor }), 'cursor_expired')
  })
})

describe('bodies', () => {
  test('include_body fences the text, with whole links', async () => {
    const bench = createToolBench()
    deliver(bench, 'Confirm', 1, { body: 'Open https://shop.example/confirm?token=abc now.' })
    const answer = await wait(bench, { include_body: true })
    const body = answer.messages[0]?.body ?? ''
    assert.match(body, new RegExp(`^\\[untrusted ${answer.untrusted_boundary ?? 'none'}: `))
    assert.match(body, /https:\/\/shop\.example\/confirm\?token=abc/)
    assert.equal((await wait(bench)).messages[0]?.body, undefined)
  })

  test('check 34: 25 long bodies stay within the cap, and cursor begins at the first one left out', async () => {
    const bench = createToolBench()
    const names = Array.from({ length: 25 }, (_, index) => `m${String(index)} ${'\u6f22'.repeat(300)}`)
    for (const name of names) deliver(bench, name, 60, { body: 'word '.repeat(3_000) })
    const got: string[] = []
    let cursor: string | undefined
    for (let pages = 0; got.length < names.length && pages < 30; pages += 1) {
      const args = { include_body: true, limit: 25, body_max_chars: 8_000, ...(cursor ? { cursor } : {}) }
      const result = await bench.call('email_wait', { timeout_seconds: 0, ...args })
      assert.ok(estimateTokens(result.content[0]?.text ?? '') <= 20_000)
      const answer = answerOf(result) as unknown as Waited
      if (pages === 0) assert.equal(answer.truncated, true)
      got.push(...subjects(answer))
      cursor = answer.cursor
    }
    assert.deepEqual(got, names)
  })

  test('without read:email there are rows without snippet, and include_body is refused', async () => {
    const bench = createToolBench()
    deliver(bench, 'Row', 1)
    const as = { scopes: ['search:email'] } as const
    const answer = answerOf(await bench.call('email_wait', { timeout_seconds: 0 }, as)) as unknown as Waited
    assert.deepEqual([subjects(answer), answer.messages[0]?.snippet], [['Row'], undefined])
    const refused = errorOf(await bench.call('email_wait', { include_body: true }, as))
    assert.equal(refused['error_code'], 'insufficient_scope')
  })

  test('a body that cannot be read leaves its row, which says so', async () => {
    const bench = createToolBench()
    deliver(bench, 'Row', 1)
    const inbox = bench.inboxes[0] ?? assert.fail()
    const fault = new Fault('provider_error', { public: 'Ordered by the test.' })
    inbox.faults = { failingVerbs: new Map([['readParts', fault]]) }
    const answer = await wait(bench, { include_body: true })
    assert.deepEqual(subjects(answer), ['Row'])
    assert.match(answer.messages[0]?.row_error ?? '', /body/)
  })
})

describe('how many, how long', () => {
  test('check 108: the third wait of a key is rate_limit_exceeded, and a place is free once its client has left', async () => {
    const bench = createToolBench()
    const controllers = [new AbortController(), new AbortController()]
    const running = controllers.map(({ signal }) =>
      bench.call('email_wait', { timeout_seconds: 40 }, { signal }),
    )
    await sleep(50)
    const refused = errorOf(await bench.call('email_wait', { timeout_seconds: 0 }))
    assert.equal(refused['error_code'], 'rate_limit_exceeded')
    assert.deepEqual((refused['details'] as Record<string, unknown>)['window'], 'concurrency')
    const startedAt = Date.now()
    controllers[0]?.abort(new Fault('timeout', { public: 'Left.' }))
    await running[0]
    await sleep(10)
    assert.equal((await wait(bench)).timed_out, true)
    assert.ok(Date.now() - startedAt < secondMs)
    controllers[1]?.abort(new Fault('timeout', { public: 'Left.' }))
    await running[1]
  })

  test('ten waits of a tenant are all there are, whatever the key', async () => {
    const bench = createToolBench()
    const controller = new AbortController()
    const running = Array.from({ length: 10 }, (_, index) =>
      bench.call(
        'email_wait',
        { timeout_seconds: 40 },
        {
          principalId: `ak_${String(Math.floor(index / 2))}`,
          signal: controller.signal,
        },
      ),
    )
    await sleep(50)
    const refused = errorOf(await bench.call('email_wait', {}, { principalId: 'ak_fresh' }))
    assert.equal(refused['error_code'], 'rate_limit_exceeded')
    controller.abort(new Fault('timeout', { public: 'Left.' }))
    await Promise.all(running)
  })

  test('check 107: what cannot be reached at the end is an error, never a quiet timeout', async () => {
    const bench = createToolBench()
    const inbox = bench.inboxes[0] ?? assert.fail()
    const fault = new Fault('provider_unavailable', { public: 'Ordered by the test.' })
    const failing = new Map([['listArrivals', fault] as const])
    const waiting = bench.call('email_wait', { timeout_seconds: 2 })
    await sleep(100)
    inbox.faults = { failingVerbs: failing }
    const later = bench.call('email_wait', { timeout_seconds: 2 })
    assert.equal(errorOf(await later)['error_code'], 'provider_unavailable')
    assert.equal(answerOf(await waiting)['timed_out'], true)
  })

  test('a failure that passes within the wait is no failure', async () => {
    const bench = createToolBench()
    const inbox = bench.inboxes[0] ?? assert.fail()
    const fault = new Fault('provider_unavailable', { public: 'Ordered by the test.' })
    const failing = new Map([['listArrivals', fault] as const])
    inbox.faults = { failingVerbs: failing }
    const waiting = wait(bench, { timeout_seconds: 10 })
    await sleep(100)
    deliver(bench, 'Behind the failure')
    failing.clear()
    assert.deepEqual(subjects(await waiting), ['Behind the failure'])
  })

  test('progress is told while it waits, to those who asked, and not after', async () => {
    const bench = createToolBench()
    const told: [number, number][] = []
    const progress = (seconds: number, total: number): void => void told.push([seconds, total])
    await bench.call('email_wait', { timeout_seconds: 6 }, { progress })
    assert.deepEqual(told, [[5, 6]])
  })

  test('since in the future, and not before before, are told apart from an empty mailbox', async () => {
    const bench = createToolBench()
    for (const args of [{ since: '2027-01-01' }, { before: '2026-11-01' }]) {
      assert.equal(errorOf(await bench.call('email_wait', args))['error_code'], 'invalid_arguments')
    }
  })
})
