import { answerOf, createToolBench, errorOf, stableResult } from '@postern/fixtures'
import { Fault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'

test('the whole answer: folders with exact ids, roles and counts', async () => {
  const bench = createToolBench()
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Projects/Bills' })
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Shared', isSelectable: false })
  assert.deepEqual(stableResult(answerOf(await bench.call('folder_list'))), {
    folders: [
      {
        folder_id: 'INBOX',
        name: 'INBOX',
        path: 'INBOX',
        type: 'folder',
        role: 'inbox',
        selectable: true,
        total: 0,
        unread: 0,
      },
      {
        folder_id: 'Projects/Bills',
        name: 'Bills',
        path: 'Projects/Bills',
        type: 'folder',
        role: null,
        selectable: true,
        total: 0,
        unread: 0,
      },
      {
        folder_id: 'Shared',
        name: 'Shared',
        path: 'Shared',
        type: 'folder',
        role: null,
        selectable: false,
        total: null,
        unread: null,
      },
    ],
    inbox_id: '<uuid 1>',
    has_more: false,
    next_offset: null,
    untrusted_content: true,
  })
})

test('check 62: two folders of one name differ by path, and the name alone is ambiguous', async () => {
  const bench = createToolBench()
  for (const path of ['Home/Bills', 'Work/Bills']) bench.inboxes[0]?.mailbox.addFolder({ path })
  const { folders } = answerOf(await bench.call('folder_list', { query: 'bills' })) as {
    folders: { path: string }[]
  }
  assert.deepEqual(
    folders.map(({ path }) => path),
    ['Home/Bills', 'Work/Bills'],
  )
  const error = errorOf(await bench.call('email_read', { action: 'list', folder: 'Bills' }))
  assert.equal(error['error_code'], 'folder_ambiguous')
  assert.deepEqual((error['details'] as Record<string, unknown>)['folder_ids'], ['Home/Bills', 'Work/Bills'])
})

test('check 63: an inbox that was chosen for the caller is named in the answer', async () => {
  const bench = createToolBench()
  assert.equal(answerOf(await bench.call('folder_list'))['inbox_id'], bench.inboxes[0]?.record.inboxId)
})

test('check 60: thousands of folders come in pages that lose none', async () => {
  const bench = createToolBench()
  for (let n = 0; n < 1_000; n++)
    bench.inboxes[0]?.mailbox.addFolder({
      path: `Folder ${String(n).padStart(5, '0')} ${'long name '.repeat(8)}`,
    })
  const seen = new Set<string>()
  let offset: number | null = 0
  while (offset !== null) {
    const page = answerOf(await bench.call('folder_list', { offset })) as {
      folders: { folder_id: string }[]
      next_offset: number | null
    }
    for (const { folder_id } of page.folders) seen.add(folder_id)
    assert.ok(page.folders.length > 0 && page.folders.length <= 200)
    offset = page.next_offset
  }
  assert.equal(seen.size, 1_001)
})

test('check 49: invisible characters in a folder name are gone from the name and kept in the id', async () => {
  const bench = createToolBench()
  bench.inboxes[0]?.mailbox.addFolder({ path: 'Pay\u202eroll\u200b\u{e0041}' })
  const { folders } = answerOf(await bench.call('folder_list', { query: 'roll' })) as {
    folders: { folder_id: string; name: string }[]
  }
  assert.deepEqual(
    folders.map(({ folder_id, name }) => [folder_id, name]),
    [['Pay\u202eroll\u200b\u{e0041}', 'Payroll']],
  )
})

test('check 53: a provider failure is an error with its code, never an empty list', async () => {
  const bench = createToolBench()
  const [inbox] = bench.inboxes
  assert.ok(inbox)
  inbox.faults = {
    failingVerbs: new Map([
      ['listFolders', new Fault('provider_unavailable', { public: 'The mail server is away.' })],
    ]),
  }
  assert.equal(errorOf(await bench.call('folder_list'))['error_code'], 'provider_unavailable')
})
