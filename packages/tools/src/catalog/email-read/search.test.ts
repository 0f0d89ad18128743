import { createLog, Fault } from '@postern/core'
import { answerOf, buildMessage, createToolBench, errorOf, type ToolBench } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { test } from 'node:test'

interface Answer {
  readonly messages: readonly {
    readonly subject: string
    readonly inbox_id?: string
    readonly snippet?: string | null
  }[]
  readonly complete: boolean
  readonly total: number | null
  readonly folders_failed: readonly { readonly folder_id: string; readonly code: string }[]
  readonly inboxes_searched?: readonly string[]
  readonly inboxes_failed?: readonly { readonly inbox_id: string; readonly code: string }[]
  readonly next_cursor: string | null
  readonly resolved: { readonly since: string | null; readonly timezone: string }
  readonly notes?: readonly string[]
}

async function search(bench: ToolBench, args: Record<string, unknown> = {}): Promise<Answer> {
  return answerOf(await bench.call('email_read', { action: 'search', ...args })) as unknown as Answer
}

function subjects({ messages }: Answer): string[] {
  return messages.map(({ subject }) => subject)
}

function add(bench: ToolBench, index: number, subject: string, minutes: number): void {
  bench.inboxes[index]?.mailbox.append('INBOX', {
    raw: buildMessage({ subject, body: 'Words in the body.' }),
    receivedAt: new Date(Date.UTC(2026, 10, 15, 0, minutes)),
  })
}

const away = new Fault('provider_unavailable', {
  public: 'The mail server is away.',
  internal: 'secret-7781 said the server',
})

test('check 34: without an inbox a search asks exactly the inboxes of the key, merged newest first', async () => {
  const bench = createToolBench()
  bench.addInbox()
  bench.addInbox()
  for (const [index, minutes] of [
    [0, 10],
    [1, 30],
    [2, 20],
    [1, 5],
  ] as const)
    add(bench, index, `i${index} m${minutes}`, minutes)
  const granted = [bench.inboxes[0]?.record.inboxId ?? '', bench.inboxes[1]?.record.inboxId ?? '']
  const answer = answerOf(
    await bench.call('email_read', { action: 'search' }, { inboxIds: granted }),
  ) as unknown as Answer
  assert.deepEqual(subjects(answer), ['i1 m30', 'i0 m10', 'i1 m5'])
  assert.deepEqual([...(answer.inboxes_searched ?? [])].sort(), [...granted].sort())
  assert.ok(answer.messages.every(({ inbox_id }) => granted.includes(inbox_id ?? '')))
})

test('check 75: one inbox that fails is named, and the others answer', async () => {
  const bench = createToolBench()
  const failing = bench.addInbox()
  bench.addInbox()
  add(bench, 0, 'first', 1)
  add(bench, 2, 'third', 3)
  failing.faults = { failingVerbs: new Map([['searchMessages', away]]) }
  const answer = await search(bench)
  assert.deepEqual(subjects(answer), ['third', 'first'])
  assert.deepEqual(answer.inboxes_failed, [
    { inbox_id: failing.record.inboxId, code: 'provider_unavailable' },
  ])
  assert.deepEqual([answer.complete, answer.total], [false, null])
  failing.faults = {}
  const whole = await search(bench)
  assert.deepEqual([whole.complete, whole.total], [true, 2])
})

test('check 74: one folder that fails is named and the rest answers; when all fail the failure is the answer', async () => {
  const bench = createToolBench()
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.mailbox.addFolder({ path: 'Projects' })
  add(bench, 0, 'kept', 1)
  inbox.faults = { failingFolders: new Map([['Projects', away]]) }
  const answer = await search(bench)
  assert.deepEqual(subjects(answer), ['kept'])
  assert.deepEqual(
    [answer.complete, answer.folders_failed],
    [false, [{ folder_id: 'Projects', code: 'provider_unavailable' }]],
  )
  inbox.faults = { failingVerbs: new Map([['searchMessages', away]]) }
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'search' }))['error_code'],
    'provider_unavailable',
  )
})

test('check 45: what a mail server says reaches no agent', async () => {
  const bench = createToolBench()
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.faults = { failingVerbs: new Map([['searchMessages', away]]) }
  const result = await bench.call('email_read', { action: 'search' })
  assert.equal(JSON.stringify(result).includes('secret-7781'), false)
  assert.ok((errorOf(result)['details'] as Record<string, unknown>)['reference'])
})

test('check 83: a key that may search but not read gets rows without text, and cannot read', async () => {
  const bench = createToolBench()
  add(bench, 0, 'found', 1)
  const as = { scopes: ['search:email'] } as const
  const [row] = (answerOf(await bench.call('email_read', { action: 'search' }, as)) as unknown as Answer)
    .messages
  assert.equal('snippet' in (row ?? {}), false)
  const error = errorOf(await bench.call('email_read', { action: 'read', message_id: 'm_x' }, as))
  assert.deepEqual(
    [error['error_code'], (error['details'] as Record<string, unknown>)['missing_scopes']],
    ['insufficient_scope', ['read:email']],
  )
})

test('a refusal names every scope that would do', async () => {
  const bench = createToolBench()
  const error = errorOf(await bench.call('email_read', { action: 'count' }, { scopes: ['send:email'] }))
  assert.match(String(error['message']), /it lacks read:email or search:email\./)
})

test('check 38: 5m in since is five minutes, newer_than:5m is five months and says so', async () => {
  const bench = createToolBench()
  const answer = await search(bench, { since: '5m' })
  assert.equal(answer.resolved.since, new Date(bench.now.getTime() - 300_000).toISOString())
  bench.inboxes[0]?.mailbox.append('INBOX', {
    raw: buildMessage({ subject: 'June' }),
    receivedAt: new Date('2026-06-20T00:00:00Z'),
  })
  bench.inboxes[0]?.mailbox.append('INBOX', {
    raw: buildMessage({ subject: 'May' }),
    receivedAt: new Date('2026-05-20T00:00:00Z'),
  })
  const months = await search(bench, { query: 'newer_than:5m' })
  assert.deepEqual(subjects(months), ['June'])
  assert.match(months.notes?.join(' ') ?? '', /months/)
})

test('check 39: a time without zone is read in the zone of the inbox, and noted', async () => {
  const bench = createToolBench({ isEmpty: true })
  bench.addInbox({ timezone: 'Asia/Tokyo' })
  const answer = await search(bench, { since: '2026-11-03T10:00' })
  assert.equal(answer.resolved.since, '2026-11-03T01:00:00.000Z')
  assert.match(answer.notes?.join(' ') ?? '', /since named no time zone/)
})

test('check 41: a relative time stays where the first page put it', async () => {
  const bench = createToolBench()
  for (let n = 0; n < 4; n++) {
    bench.inboxes[0]?.mailbox.append('INBOX', {
      raw: buildMessage({ subject: `s${n}` }),
      receivedAt: new Date(bench.now.getTime() - 3_500_000 + n),
    })
  }
  const first = await search(bench, { since: '1h', limit: 2 })
  bench.now = new Date(bench.now.getTime() + 1_800_000)
  const second = await search(bench, { limit: 2, cursor: first.next_cursor })
  assert.deepEqual(subjects(second), ['s1', 's0'])
  assert.equal(second.resolved.since, first.resolved.since)
})

test('check 79: a structured value is literal text, whatever operators it holds', async () => {
  const bench = createToolBench()
  add(bench, 0, 'x) OR from:(y', 1)
  add(bench, 0, 'other', 2)
  assert.deepEqual(subjects(await search(bench, { subject: 'x) OR from:(y' })), ['x) OR from:(y'])
})

test('check 78: an unknown operator and an open quote are errors that say where', async () => {
  const bench = createToolBench()
  const unsupported = errorOf(await bench.call('email_read', { action: 'search', query: 'invoice foo:bar' }))
  assert.deepEqual(
    [unsupported['error_code'], (unsupported['details'] as Record<string, unknown>)['position']],
    ['query_unsupported', 8],
  )
  const open = errorOf(await bench.call('email_read', { action: 'search', query: 'a "b' }))
  assert.deepEqual(
    [open['error_code'], (open['details'] as Record<string, unknown>)['position']],
    ['query_syntax', 2],
  )
})

test('pages over several inboxes lose and repeat nothing, by offset and by cursor', async () => {
  const bench = createToolBench()
  bench.addInbox()
  for (let n = 0; n < 11; n++) add(bench, n % 2, `n${n}`, n % 4)
  const whole = subjects(await search(bench, { limit: 100 }))
  const byOffset: string[] = []
  for (let offset = 0; offset < 11; offset += 3)
    byOffset.push(...subjects(await search(bench, { limit: 3, offset })))
  assert.deepEqual(byOffset, whole)
  const byCursor: string[] = []
  let cursor: string | null = null
  do {
    const answer: Answer = await search(bench, { limit: 3, ...(cursor === null ? {} : { cursor }) })
    byCursor.push(...subjects(answer))
    cursor = answer.next_cursor
  } while (cursor !== null)
  assert.deepEqual(byCursor, whole)
  assert.equal(new Set(whole).size, 11)
})

test('Spam and Trash are searched only when asked for', async () => {
  const bench = createToolBench()
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Junk', role: 'spam' })
  bench.inboxes[0]?.mailbox.append('Junk', {
    raw: buildMessage({ subject: 'junk' }),
    receivedAt: new Date(Date.UTC(2026, 10, 15, 0, 1)),
  })
  add(bench, 0, 'mail', 2)
  assert.deepEqual(subjects(await search(bench)), ['mail'])
  assert.deepEqual(subjects(await search(bench, { include_spam_trash: true })), ['mail', 'junk'])
  assert.deepEqual(subjects(await search(bench, { query: 'in:spam' })), ['junk'])
  assert.deepEqual(subjects(await search(bench, { query: 'in:anywhere junk' })), ['junk'])
})

test('since must lie before before', async () => {
  const bench = createToolBench()
  assert.equal(
    errorOf(await bench.call('email_read', { action: 'search', since: 'today', before: 'yesterday' }))[
      'error_code'
    ],
    'invalid_arguments',
  )
})

test('a note about zones comes only where days were asked for', async () => {
  const bench = createToolBench({ isEmpty: true })
  bench.addInbox({ timezone: 'Asia/Tokyo' })
  bench.addInbox({ timezone: 'America/New_York' })
  assert.equal('notes' in (await search(bench, { from: 'amy', since: '7d' })), false)
  for (const asked of [{ since: 'today' }, { query: 'after:2026/11/01' }]) {
    assert.match((await search(bench, asked)).notes?.join() ?? '', /Days were read in Asia\/Tokyo/)
  }
})

test('a folder that only holds folders is not searched in silence, and neither is none at all', async () => {
  const bench = createToolBench()
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Projects', isSelectable: false })
  const notes = async (args: Record<string, unknown>): Promise<string> =>
    (await search(bench, args)).notes?.join(' ') ?? ''
  assert.match(await notes({ include_folders: ['Projects'] }), /holds no messages.*leave none to search/)
  assert.match(await notes({ exclude_folders: ['INBOX'] }), /leave none to search/)
  assert.equal(await notes({}), '')
})

test('folders of several inboxes are named once each, by inbox where they failed', async () => {
  const bench = createToolBench()
  const second = bench.addInbox()
  second.mailbox.addFolder({ path: 'Projects' })
  second.faults = { failingFolders: new Map([['Projects', away]]) }
  const answer = answerOf(await bench.call('email_read', { action: 'search' }))
  assert.deepEqual(answer['folders_searched'], ['INBOX'])
  assert.deepEqual(answer['folders_failed'], [
    { folder_id: 'Projects', code: 'provider_unavailable', inbox_id: second.record.inboxId },
  ])
})

test('check 75: an inbox that never answers costs its own rows and not those of the others', async (t) => {
  const bench = createToolBench()
  const stalled = bench.addInbox()
  add(bench, 0, 'kept', 1)
  stalled.faults = { stalledVerbs: new Set(['listFolders']) }
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: bench.now })
  const answering = search(bench)
  for (let second = 0; second < 40; second++) {
    await new Promise(setImmediate)
    t.mock.timers.tick(1_000)
  }
  const answer = await answering
  assert.deepEqual(subjects(answer), ['kept'])
  assert.deepEqual(answer.inboxes_failed, [{ inbox_id: stalled.record.inboxId, code: 'timeout' }])
})

test('check 45: what a mail server says of one inbox of several is in the log and not in the answer', async () => {
  const bench = createToolBench()
  const failing = bench.addInbox()
  failing.faults = { failingVerbs: new Map([['searchMessages', away]]) }
  const lines: string[] = []
  const log = createLog('debug', (line) => lines.push(line))
  const result = await bench.call('email_read', { action: 'search' }, { log })
  assert.doesNotMatch(JSON.stringify(result), /secret-7781/)
  assert.match(lines.join(), /tool\.item_failed.*provider_unavailable.*secret-7781/)
})

test('check 42: a search cursor belongs to the inboxes it was made over', async () => {
  const bench = createToolBench()
  const second = bench.addInbox()
  for (let n = 0; n < 4; n++) add(bench, n % 2, `n${n}`, n)
  const { next_cursor: cursor } = await search(bench, { limit: 1 })
  const narrowed = { action: 'search', cursor, inbox_id: second.record.inboxId }
  assert.equal(errorOf(await bench.call('email_read', narrowed))['error_code'], 'cursor_invalid')
})

test('of more than 20 inboxes the first 20 are searched, and that it is not all is said', async () => {
  const bench = createToolBench()
  for (let n = 1; n < 23; n++) bench.addInbox()
  add(bench, 19, 'searched', 1)
  add(bench, 20, 'skipped', 2)
  const answer = await search(bench)
  assert.deepEqual(subjects(answer), ['searched'])
  assert.deepEqual([answer.complete, answer.inboxes_searched?.length], [false, 20])
  assert.match(answer.notes?.join() ?? '', /3 more inboxes were not searched/)
})
