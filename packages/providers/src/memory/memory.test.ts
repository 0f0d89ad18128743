import { Fault, timeoutFault } from '@postern/core'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callFor, keyOf, pageOf } from '../contract/mailbox.ts'
import { plain } from '../contract/messages.ts'
import { createMemoryAdapter, createMemoryMailbox, type MemoryFaults, type MemoryMailbox } from './index.ts'

const unavailable = (): Fault => new Fault('provider_unavailable', { public: 'Ordered by the test.' })

function filled(): MemoryMailbox {
  const mailbox = createMemoryMailbox([{ path: 'A' }, { path: 'B' }, { path: 'Parent', isSelectable: false }])
  for (const folderId of ['INBOX', 'A', 'B']) mailbox.append(folderId, plain({ key: `in${folderId}` }))
  return mailbox
}

const everywhere = { criterion: { kind: 'all' }, folderIds: ['INBOX', 'A', 'B'] } as const

const searchWith = (
  faults: MemoryFaults,
  seconds = 60,
): ReturnType<ReturnType<typeof createMemoryAdapter>['searchMessages']> =>
  createMemoryAdapter(filled(), { faults }).searchMessages(everywhere, pageOf(10), callFor(seconds))

test('a folder ordered to fail is reported, the others answer', async () => {
  const page = await searchWith({ failingFolders: new Map([['A', unavailable()]]) })
  assert.deepEqual(page.messages.map(keyOf).sort(), ['inB', 'inINBOX'])
  assert.deepEqual(page.foldersFailed, [{ folderId: 'A', code: 'provider_unavailable' }])
})

test('check 74: a search whose time ends in one folder names it and those behind it as not reached', async () => {
  const page = await searchWith({ stalledFolders: new Set(['A']) }, 0.1)
  assert.deepEqual(page.messages.map(keyOf), ['inINBOX'])
  assert.deepEqual(page.foldersSearched, ['INBOX'])
  assert.deepEqual(page.foldersFailed, [
    { folderId: 'A', code: 'not_reached' },
    { folderId: 'B', code: 'not_reached' },
  ])
})

test('check 82: a count that cannot reach every folder in time is a timeout, never a part of the number', async () => {
  const adapter = createMemoryAdapter(filled(), { faults: { stalledFolders: new Set(['B']) } })
  await assert.rejects(
    adapter.countMessages(everywhere, callFor(0.1)),
    (error) => error instanceof Fault && error.code === 'timeout',
  )
})

test('when the first folder never answers the whole search is a timeout', async () => {
  await assert.rejects(
    searchWith({ stalledFolders: new Set(['INBOX']) }, 0.1),
    (error) => error instanceof Fault && error.code === 'timeout',
  )
})

test('check 55: a mailbox that must be reconnected is no list of failed folders', async () => {
  const fault = new Fault('inbox_reconnect_required', { public: 'Ordered by the test.' })
  await assert.rejects(searchWith({ failingFolders: new Map([['A', fault]]) }), (error) => error === fault)
})

test('verbs fail and stall as ordered', async () => {
  const fault = timeoutFault()
  const failing = createMemoryAdapter(filled(), {
    faults: { failingVerbs: new Map([['listFolders', fault]]) },
  })
  await assert.rejects(failing.listFolders('counted', callFor()), (error) => error === fault)
  const stalled = createMemoryAdapter(filled(), { faults: { stalledVerbs: new Set(['listFolders']) } })
  await assert.rejects(
    stalled.listFolders('counted', callFor(0.05)),
    (error) => error instanceof Fault && error.code === 'timeout',
  )
  const reason = new Error('stopped')
  const stopped = stalled.listFolders(
    'counted',
    callFor(60, AbortSignal.any([AbortSignal.timeout(20), stopAfter(5, reason)])),
  )
  await assert.rejects(stopped, (error) => error === reason)
})

function stopAfter(ms: number, reason: Error): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), ms)
  return controller.signal
}

test('check 93: a message whose answer is broken keeps its place and its id', async () => {
  const mailbox = filled()
  const { locator } = mailbox.append('INBOX', plain({ key: 'broken' }))
  const faults = { brokenMessages: new Set([Buffer.from(locator).toString('hex')]) }
  const adapter = createMemoryAdapter(mailbox, { faults })
  const { messages } = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(10), callFor())
  assert.deepEqual(
    messages.map(({ isBroken }) => isBroken),
    [true, false],
  )
  assert.deepEqual(messages[0]?.message.ref.locator, locator)
})

test('an anchor of a folder that was rebuilt has expired; refs are found again all the same', async () => {
  const mailbox = filled()
  const ref = mailbox.append('INBOX', plain({ key: 'second' }))
  const adapter = createMemoryAdapter(mailbox)
  const page = await adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1), callFor())
  const anchor = page.messages[0]?.anchor ?? assert.fail('no row')
  mailbox.rebuild('INBOX')
  await assert.rejects(
    adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1, 0, anchor), callFor()),
    (error) => error instanceof Fault && error.code === 'cursor_expired',
  )
  const [found] = await adapter.getMessages([ref], callFor())
  assert.equal(found?.isFound, true)
})

test('a number is never given to another message, and a removed message is not found', async () => {
  const mailbox = createMemoryMailbox()
  const first = mailbox.append('INBOX', plain({ key: 'first' }))
  mailbox.remove(first)
  const second = mailbox.append('INBOX', plain({ key: 'second' }))
  const [gone, there] = await createMemoryAdapter(mailbox).getMessages([first, second], callFor())
  assert.equal(gone?.isFound, false)
  assert.equal(there?.isFound, true)
})

test('the same octets twice are two messages, each with its own place', async () => {
  const mailbox = createMemoryMailbox([{ path: 'Copies' }])
  const message = plain({ key: 'twin' })
  const refs = [
    mailbox.append('INBOX', message),
    mailbox.append('Copies', message),
    mailbox.append('Copies', message),
  ]
  const found = await createMemoryAdapter(mailbox).getMessages(refs, callFor())
  const places = found.map((item) => (item.isFound ? [item.value.folderId, item.value.ref] : null))
  assert.deepEqual(places, [
    ['INBOX', refs[0]],
    ['Copies', refs[1]],
    ['Copies', refs[2]],
  ])
})

test('check 59: a folder that holds no messages has no counts and cannot be read', async () => {
  const adapter = createMemoryAdapter(filled())
  const parent = (await adapter.listFolders('counted', callFor())).find(
    ({ folderId }) => folderId === 'Parent',
  )
  assert.deepEqual([parent?.isSelectable, parent?.total, parent?.unread], [false, null, null])
  await assert.rejects(
    adapter.listMessages('Parent', { isUnreadOnly: false }, pageOf(1), callFor()),
    (error) => error instanceof Fault && error.code === 'folder_not_found',
  )
})

test('a mailbox that is out of reach twice in a row is not dialled for every folder', async () => {
  const mailbox = createMemoryMailbox([{ path: 'A' }, { path: 'B' }, { path: 'C' }])
  mailbox.append('INBOX', plain({ key: 'one' }))
  const failingFolders = new Map(['A', 'B'].map((folderId) => [folderId, unavailable()]))
  const adapter = createMemoryAdapter(mailbox, { faults: { failingFolders } })
  const query = { criterion: { kind: 'all' }, folderIds: ['INBOX', 'A', 'B', 'C'] } as const
  const page = await adapter.searchMessages(query, pageOf(10), callFor())
  assert.deepEqual(page.foldersSearched, ['INBOX'])
  assert.deepEqual(
    page.foldersFailed.map(({ folderId, code }) => [folderId, code]),
    ['A', 'B', 'C'].map((folderId) => [folderId, 'provider_unavailable']),
  )
})
