import { Fault } from '@postern/core'
import { answerOf, buildMessage, createToolBench, errorOf, stableResult } from '@postern/fixtures'
import assert from 'node:assert/strict'
import { test } from 'node:test'

test('check 82: a count is exact over any number of pages, and an error when a folder cannot be counted', async () => {
  const bench = createToolBench()
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.mailbox.addFolder({ path: 'Projects' })
  for (let n = 0; n < 47; n++)
    inbox.mailbox.append(n % 3 === 0 ? 'Projects' : 'INBOX', { raw: buildMessage(), receivedAt: bench.now })
  assert.deepEqual(stableResult(answerOf(await bench.call('email_read', { action: 'count' }))), {
    count: 47,
    inbox_id: '<uuid 1>',
    complete: true,
    folders_searched: ['INBOX', 'Projects'],
    folders_failed: [],
    degraded: [],
    matching: 'substring',
    resolved: { since: null, before: null, timezone: 'UTC' },
    untrusted_content: true,
  })
  inbox.faults = {
    failingFolders: new Map([
      ['Projects', new Fault('provider_error', { public: 'The folder cannot be opened.' })],
    ]),
  }
  const error = errorOf(await bench.call('email_read', { action: 'count' }))
  assert.equal(error['error_code'], 'search_incomplete')
  assert.deepEqual((error['details'] as Record<string, unknown>)['folders_failed'], [
    { folder_id: 'Projects', code: 'provider_error' },
  ])
})

test('a count names one inbox: with several reachable it asks which', async () => {
  const bench = createToolBench()
  bench.addInbox()
  assert.equal(errorOf(await bench.call('email_read', { action: 'count' }))['error_code'], 'inbox_required')
})
