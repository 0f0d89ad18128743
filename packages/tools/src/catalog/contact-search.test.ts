import { Fault } from '@postern/core'
import { estimateTokens } from '@postern/mail'
import {
  answerOf,
  buildMessage,
  createToolBench,
  errorOf,
  type BenchInbox,
  type ToolBench,
} from '@postern/fixtures'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

interface Row {
  readonly contact_id: string | null
  readonly email_address: string | null
  readonly display_name: string | null
  readonly inbox_ids: readonly string[]
  readonly message_count: number
  readonly address_confidence: string
  readonly relationship: string
  readonly last_interactions: readonly { readonly line: string | null; readonly line_status: string }[]
  readonly other_addresses: number
}

const find = async (bench: ToolBench, query: string, args = {}, as = {}): Promise<Record<string, unknown>> =>
  answerOf(await bench.call('contact_search', { query, ...args }, as))
const rowsOf = (answer: Record<string, unknown>): readonly Row[] => answer['contacts'] as Row[]

function firstInbox(bench: ToolBench): BenchInbox {
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  return inbox
}

/** Puts one message into the mailbox and gives its interaction. */
function exchange(bench: ToolBench, inbox: BenchInbox, subject: string) {
  const raw = buildMessage({ subject, from: 'amy@acme.example' })
  const { locator } = inbox.mailbox.append('INBOX', { raw, receivedAt: bench.now })
  return {
    kind: 'message' as const,
    direction: 'in' as const,
    at: bench.now,
    inboxId: inbox.record.inboxId,
    locator,
  }
}

describe('what is asked', () => {
  test('check 188: a blank query is an error and lists nobody; 200 characters are taken after trimming, 201 are not', async () => {
    const bench = createToolBench()
    bench.people.add({ name: 'Amy', inboxIds: [firstInbox(bench).record.inboxId] })
    for (const query of ['', '   ', 'x'.repeat(201)])
      assert.equal(errorOf(await bench.call('contact_search', { query }))['error_code'], 'invalid_arguments')
    assert.deepEqual(rowsOf(await find(bench, `  ${'x'.repeat(200)}  `)), [])
  })

  test('check 195: no match is a success with an empty list', async () => {
    assert.deepEqual(rowsOf(await find(createToolBench(), 'nobody')), [])
  })

  test('check 192: the limit counts people, however many addresses they have', async () => {
    const bench = createToolBench()
    const inboxIds = [firstInbox(bench).record.inboxId]
    for (let n = 0; n < 7; n++)
      bench.people.add(
        { name: `Kim ${n}`, inboxIds },
        Array.from({ length: 6 }, (_, k) => ({ spelling: `kim${n}.${k}@acme.example` })),
      )
    const answer = await find(bench, 'kim', { limit: 5 })
    assert.deepEqual(
      [rowsOf(answer).length, answer['total'], answer['has_more'], answer['next_offset']],
      [5, 7, true, 5],
    )
    assert.equal(rowsOf(answer)[0]?.other_addresses, 5)
    const next = await find(bench, 'kim', { limit: 5, offset: 5 })
    assert.deepEqual([rowsOf(next).length, next['has_more'], next['next_offset']], [2, false, null])
    assert.match(String(next['notes']), /stay the same/)
  })

  test('check 193: work and private prefer other addresses of the same people', async () => {
    const bench = createToolBench()
    const inboxIds = [firstInbox(bench).record.inboxId]
    bench.people.add({ name: 'Amy', inboxIds }, [
      { spelling: 'amy@gmail.com' },
      { spelling: 'amy@acme.example' },
    ])
    const emails = await Promise.all(
      ['work', 'private'].map(
        async (context) => rowsOf(await find(bench, 'amy', { context }))[0]?.email_address,
      ),
    )
    assert.deepEqual(emails, ['amy@acme.example', 'amy@gmail.com'])
  })

  test('check 198: concise has the id and no phone, postal address or note; detailed has all of them', async () => {
    const bench = createToolBench()
    const inboxIds = [firstInbox(bench).record.inboxId]
    bench.people.add({
      name: 'Amy',
      inboxIds,
      note: 'met in Rome',
      phones: [{ handle: 'p0', number: '+39 1', label: null }],
    })
    const concise = rowsOf(await find(bench, 'amy'))[0]
    assert.equal(concise?.contact_id, 'c_1')
    assert.doesNotMatch(JSON.stringify(concise), /Rome|\+39/)
    assert.match(JSON.stringify(await find(bench, 'amy', { format: 'detailed' })), /Rome.*|"p0"/)
  })

  test('check 196: a person without an address is told with a relationship, confidence none and no address', async () => {
    const bench = createToolBench()
    const window = { out: 6, in: 6, joint: 0, interactions: 12, days: 6 }
    const relationshipFacts = { total: 12, out: 6, in: 6, days: 6, recent: window, year: window }
    bench.people.add({ name: 'Anna', inboxIds: [firstInbox(bench).record.inboxId], relationshipFacts }, [
      { spelling: 'relay@platform.example', isExcluded: true },
    ])
    const [row] = rowsOf(await find(bench, 'anna'))
    assert.deepEqual(
      [row?.email_address, row?.address_confidence, row?.relationship],
      [null, 'none', 'close'],
    )
  })
})

describe('what a key sees', () => {
  test('check 199: a key of one inbox is told nobody who is known only through another', async () => {
    const bench = createToolBench()
    const other = bench.addInbox()
    bench.people.add({ name: 'Kim', inboxIds: [other.record.inboxId] }, [{ spelling: 'kim@acme.example' }])
    const as = { inboxIds: [firstInbox(bench).record.inboxId] }
    assert.deepEqual(rowsOf(await find(bench, 'kim', {}, as)), [])
    assert.equal(rowsOf(await find(bench, 'kim')).length, 1)
  })

  test('a line needs the right to read mail, the person does not', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    bench.people.add({
      name: 'Amy',
      inboxIds: [inbox.record.inboxId],
      interactions: [exchange(bench, inbox, 'Secret plan')],
    })
    const answer = await find(bench, 'amy', {}, { scopes: ['read:contacts'] })
    const [line] = rowsOf(answer)[0]?.last_interactions ?? []
    assert.deepEqual([line?.line, line?.line_status], [null, 'no_scope'])
    assert.doesNotMatch(JSON.stringify(answer), /Secret/)
  })
})

describe('interaction lines', () => {
  test('a line is the subject as it is now, cleaned as any text of strangers', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    const interactions = [exchange(bench, inbox, 'Lease ![x](https://evil.example)')]
    bench.people.add({ name: 'Amy', inboxIds: [inbox.record.inboxId], interactions })
    const answer = await find(bench, 'amy')
    assert.equal(answer['untrusted_content'], true)
    const [line] = rowsOf(answer)[0]?.last_interactions ?? []
    assert.deepEqual([line?.line, line?.line_status], ['Lease ! [x](https://evil.example)', 'ok'])
  })

  test('check 200: a message that is gone keeps its date and a placeholder; a provider that fails has the other text', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    const gone = { ...exchange(bench, inbox, 'Soon gone'), locator: new Uint8Array(20) }
    bench.people.add({ name: 'Amy', inboxIds: [inbox.record.inboxId], interactions: [gone] })
    const [line] = rowsOf(await find(bench, 'amy'))[0]?.last_interactions ?? []
    assert.deepEqual([line?.line, line?.line_status], ['(message no longer available)', 'gone'])
    const failure = new Fault('provider_unavailable', { public: 'Down.' })
    inbox.faults = { failingVerbs: new Map([['getMessages', failure]]) }
    const [failed] = rowsOf(await find(bench, 'amy'))[0]?.last_interactions ?? []
    assert.deepEqual([failed?.line, failed?.line_status], ['(could not be read just now)', 'unavailable'])
  })

  test('check 201: fifty people cost at most thirty headers, the newest of each first', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    for (let n = 0; n < 50; n++) {
      const interactions = [exchange(bench, inbox, `Line ${n}`), exchange(bench, inbox, `Older ${n}`)]
      bench.people.add({ name: `Kim ${n}`, inboxIds: [inbox.record.inboxId], interactions })
    }
    const rows = rowsOf(await find(bench, 'kim', { limit: 50, format: 'detailed' }))
    const statuses = rows.map(({ last_interactions: [first] }) => first?.line_status)
    assert.deepEqual(
      [statuses.slice(0, 30), statuses.slice(30)],
      [Array(30).fill('ok'), Array(20).fill('not_fetched')],
    )
  })

  test('twenty people concise cost at most 4,000 tokens', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    const inboxId = inbox.record.inboxId
    for (let n = 0; n < 20; n++) {
      const interactions = Array.from({ length: 3 }, () =>
        exchange(bench, inbox, 'Re: Minutes of the meeting of last Thursday about the lease'),
      )
      const contactId = `c_${'0123456789abcdef'.repeat(2)}${n}`
      bench.people.add(
        {
          contactId,
          name: `Kimberly Longname ${n}`,
          inboxIds: [inboxId],
          lastContactedAt: bench.now,
          interactions,
        },
        [{ spelling: `kimberly.longname${n}@department.acme.example` }],
      )
    }
    const result = await bench.call('contact_search', { query: 'kim' })
    assert.equal(rowsOf(answerOf(result)).length, 20)
    const tokens = estimateTokens(result.content[0]?.text ?? '')
    assert.ok(tokens <= 4_000, `${tokens} tokens`)
  })
})

describe('mail that the book has not read', () => {
  const deliver = (bench: ToolBench, inbox: BenchInbox, fields: Parameters<typeof buildMessage>[0]): void =>
    void inbox.mailbox.append('INBOX', { raw: buildMessage(fields), receivedAt: bench.now })

  test('check 185: people of unread mail are found by asking the mailbox; the total is a floor and the coverage told', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    bench.people.unread.set(inbox.record.inboxId, { covered: 10, total: 90 })
    deliver(bench, inbox, { from: '=?utf-8?B?S2ltIMOW?= <kim@acme.example>', messageId: '<1@x>' })
    const answer = await find(bench, 'kim')
    const [row] = rowsOf(answer)
    assert.deepEqual(
      [row?.contact_id, row?.display_name, row?.email_address, row?.message_count],
      [null, 'Kim \u00d6', 'kim@acme.example', 1],
    )
    assert.deepEqual([answer['total'], answer['total_is_estimate']], [1, true])
    assert.match(String(answer['notes']), /10 of 90/)
  })

  test('a person of the book gets what the mailbox has beyond it, and what is counted is not counted again', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    const { inboxId } = inbox.record
    bench.people.unread.set(inboxId, {})
    bench.people.add({ name: 'Kim', inboxIds: [inboxId], messageCount: 4 }, [
      { spelling: 'kim@acme.example' },
    ])
    deliver(bench, inbox, { from: 'Kim <kim@acme.example>', messageId: '<1@x>' })
    const rows = rowsOf(await find(bench, 'kim'))
    assert.deepEqual(
      rows.map(({ contact_id: id, message_count: count }) => [id, count]),
      [['c_1', 5]],
    )
    bench.people.findCounted = (_scope, _inboxId, identities) => Promise.resolve(identities.map(() => true))
    assert.equal(rowsOf(await find(bench, 'kim'))[0]?.message_count, 4)
  })

  test('check 190: the same message in two inboxes is one person and one message', async () => {
    const bench = createToolBench()
    const [first, second] = [firstInbox(bench), bench.addInbox()]
    for (const inbox of [first, second]) {
      bench.people.unread.set(inbox.record.inboxId, {})
      deliver(bench, inbox, { from: 'Kim <kim@acme.example>', messageId: '<same@x>' })
    }
    const rows = rowsOf(await find(bench, 'kim'))
    assert.deepEqual([rows.length, rows[0]?.message_count], [1, 1])
  })

  test('check 189: the owner, by address or alias, is nobody', async () => {
    const bench = createToolBench()
    const inbox = firstInbox(bench)
    bench.people.unread.set(inbox.record.inboxId, {})
    deliver(bench, inbox, { from: 'Owner <owner@home.example>', to: 'Amy <amy@acme.example>' })
    assert.deepEqual(rowsOf(await find(bench, 'owner')), [])
  })

  test('check 186: of two inboxes one that fails is left out with a note; where all fail and nobody is known it is an error', async () => {
    const bench = createToolBench()
    const [first, second] = [firstInbox(bench), bench.addInbox()]
    for (const { record } of [first, second]) bench.people.unread.set(record.inboxId, {})
    deliver(bench, first, { from: 'Kim <kim@acme.example>' })
    const failure = new Fault('inbox_reconnect_required', { public: 'Expired.' })
    second.faults = { failingVerbs: new Map([['listFolders', failure]]) }
    const answer = await find(bench, 'kim')
    assert.deepEqual([rowsOf(answer).length, answer['total_is_estimate']], [1, true])
    assert.match(String(answer['notes']), /could not be asked .*inbox_reconnect_required/)
    first.faults = second.faults
    assert.equal(
      errorOf(await bench.call('contact_search', { query: 'kim' }))['error_code'],
      'inbox_reconnect_required',
    )
  })
})
