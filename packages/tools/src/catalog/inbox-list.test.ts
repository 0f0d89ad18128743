import { answerOf, createToolBench, stableResult } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { test } from 'node:test'

test('the whole answer: one inbox with its health, identities and capabilities, and what the key may do', async () => {
  const bench = createToolBench()
  const answer = answerOf(await bench.call('inbox_list', {}, { scopes: ['read:email'] }))
  assert.deepEqual(stableResult(answer), {
    inboxes: [
      {
        inbox_id: '<uuid 1>',
        email_address: 'owner@home.example',
        display_name: null,
        provider: 'sandbox',
        service: null,
        status: 'connected',
        status_reason: null,
        reconnect_url: null,
        last_sync_at: null,
        last_event_at: null,
        timezone: 'UTC',
        sender_identities: [
          {
            email_address: 'owner@home.example',
            display_name: null,
            reply_to: null,
            is_primary: true,
            is_default: true,
          },
        ],
        sender_identity_status: 'available',
        policies: {
          send_approval: false,
          bulk_review: false,
          recipient_rules: 'anyone',
          daily_send_cap: null,
          sends_left_today: null,
        },
        contacts: { state: 'none', covered_since: null, percent: 0 },
        capabilities: {
          flags: true,
          folders: true,
          labels: false,
          move: true,
          copy: true,
          delete: true,
          trash_vs_expunge: 'both',
          forward: true,
          drafts: true,
          contacts_api: false,
          scheduling: false,
          calendar: false,
          original_message: true,
          search_syntax: 'postern',
          matching: 'substring',
          threads: 'derived',
          sent_copy: 'append',
        },
        compatibility: {
          schema_version: 1,
          profile: 'sandbox',
          operations: {
            list: 'exact',
            search: 'exact',
            count: 'exact',
            read: 'exact',
            thread: 'exact',
            attachment: 'exact',
            wait: 'exact',
            folder: 'exact',
            organise: 'exact',
            label: 'different',
            delete: 'exact',
            write: 'exact',
            send: 'exact',
            schedule: 'unavailable',
            contacts: 'unavailable',
            calendar: 'unavailable',
          },
          notes: [
            'This version of Postern reads, organises, deletes, writes and sends mail; it does not yet schedule it, and has no contacts and no calendar.',
            'A label is a keyword of the mail server here, and rows do not show it.',
          ],
        },
      },
    ],
    has_more: false,
    next_offset: null,
    key: { kind: 'api_key', scopes: ['read:email'], expires_at: null, bound: false },
    untrusted_content: true,
  })
})

test('check 56: it answers while every mail server is down, because it asks none', async () => {
  const bench = createToolBench()
  for (const inbox of bench.inboxes) inbox.faults = { stalledVerbs: new Set(['listFolders', 'listMessages']) }
  assert.equal((answerOf(await bench.call('inbox_list'))['inboxes'] as unknown[]).length, 1)
})

test('check 55: an inbox whose password is refused is listed with its reason and where to reconnect it', async () => {
  const bench = createToolBench({ isEmpty: true })
  bench.addInbox({ status: 'reconnect_required', statusReason: 'The mail server refused the password.' })
  const [inbox] = answerOf(await bench.call('inbox_list'))['inboxes'] as Record<string, unknown>[]
  assert.equal(inbox?.['status'], 'reconnect_required')
  assert.equal(inbox?.['reconnect_url'], 'https://postern.example/inboxes')
  assert.equal(inbox?.['sender_identity_status'], 'reconnect_required')
})

test('check 6: a key sees the inboxes its list names, none with an empty list, and all without one', async () => {
  const bench = createToolBench()
  const second = bench.addInbox()
  const seen = async (inboxIds: readonly string[] | null): Promise<number> =>
    (answerOf(await bench.call('inbox_list', {}, { inboxIds }))['inboxes'] as unknown[]).length
  assert.equal(await seen([second.record.inboxId]), 1)
  assert.equal(await seen([]), 0)
  assert.equal(await seen(null), 2)
  bench.addInbox()
  assert.equal(await seen(null), 3)
})

test('pages and fragments narrow the list, and capabilities are left out where several inboxes are reached', async () => {
  const bench = createToolBench()
  bench.addInbox({ displayName: 'Zo\u00eb at work' })
  bench.addInbox()
  const first = answerOf(await bench.call('inbox_list', { limit: 2 }))
  assert.deepEqual([first['has_more'], first['next_offset']], [true, 2])
  const [inbox] = first['inboxes'] as Record<string, unknown>[]
  assert.equal('capabilities' in (inbox ?? {}), false)
  const found = answerOf(await bench.call('inbox_list', { query: 'ZO\u00cb', include_capabilities: true }))
  assert.equal((found['inboxes'] as unknown[]).length, 1)
})

test('a brand is read as its kind of provider, with a note', async () => {
  const bench = createToolBench({ isEmpty: true })
  bench.addInbox({ provider: 'imap' })
  bench.addInbox({ provider: 'sandbox' })
  const answer = answerOf(await bench.call('inbox_list', { provider: 'Fastmail' }))
  assert.equal((answer['inboxes'] as unknown[]).length, 1)
  assert.match((answer['notes'] as string[]).join(), /provider was read as imap/)
})
