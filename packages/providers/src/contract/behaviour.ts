import { Fault } from '@postern/core'
import type { Call, MailAdapter, MessageRef } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { callFor, drain, pageOf, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { attachment, multipart, plain, textPart } from './messages.ts'

type Use = (adapter: MailAdapter, ref: MessageRef, call: Call) => Promise<unknown>

const query = { criterion: { kind: 'text', field: 'text', value: 'Body' }, folderIds: ['INBOX'] } as const
const local = { criterion: { kind: 'attachment' }, folderIds: ['INBOX'] } as const

/** Every verb once, drained to its last octet. */
const verbs: readonly (readonly [name: string, use: Use])[] = [
  ['listFolders', (adapter, _ref, call) => adapter.listFolders('counted', call)],
  [
    'listMessages',
    (adapter, _ref, call) => adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(10), call),
  ],
  [
    'listMessages unread',
    (adapter, _ref, call) => adapter.listMessages('INBOX', { isUnreadOnly: true }, pageOf(10), call),
  ],
  ['searchMessages', (adapter, _ref, call) => adapter.searchMessages(query, pageOf(10), call)],
  ['searchMessages local', (adapter, _ref, call) => adapter.searchMessages(local, pageOf(10), call)],
  [
    'listArrivals',
    (adapter, _ref, call) => adapter.listArrivals({ query, since: new Date(0), marks: [], limit: 10 }, call),
  ],
  ['waitForChange', (adapter, _ref, call) => adapter.waitForChange(['INBOX'], async () => 'looked', call)],
  ['countMessages', (adapter, _ref, call) => adapter.countMessages(query, call)],
  ['getMessages', (adapter, ref, call) => adapter.getMessages([ref], call)],
  ['listThread', (adapter, ref, call) => adapter.listThread(ref, call)],
  [
    'readParts',
    (adapter, ref, call) => adapter.readParts(ref, [{ partId: '1', encoding: '8bit', maxBytes: 100 }], call),
  ],
  [
    'openPart',
    async (adapter, ref, call) => {
      const { octets } = await adapter.openPart(ref, { partId: '2', encoding: 'base64' }, call)
      return drain(octets)
    },
  ],
  [
    'openPart original',
    async (adapter, ref, call) => drain((await adapter.openPart(ref, 'original', call)).octets),
  ],
]

export function describeBehaviour(make: MakeMailbox): void {
  describe('every verb', () => {
    let mailbox: ContractMailbox
    let ref: MessageRef

    before(async () => {
      mailbox = await make()
      await seed(mailbox, 'INBOX', [
        plain({ key: 'unread' }),
        plain({ key: 'read', flags: { seen: true, flagged: true } }),
        multipart({ key: 'file' }, 'mixed', [
          textPart('Body with a file.'),
          attachment('application/pdf', 'a.pdf', Uint8Array.of(1, 2, 3)),
        ]),
      ])
      const page = await mailbox.adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1), callFor())
      ref = page.messages[0]?.message.ref ?? assert.fail('nothing was seeded')
    })
    after(() => mailbox.close())

    test('check 85: reading changes nothing: no flag, no number, no folder', async () => {
      const before = await mailbox.snapshot()
      for (const [, use] of verbs) await use(mailbox.adapter, ref, callFor())
      assert.equal(await mailbox.snapshot(), before)
    })

    test('a signal that has fired stops a verb with its reason', async () => {
      const reason = new Error('stopped by the test')
      for (const [name, use] of verbs) {
        await assert.rejects(
          use(mailbox.adapter, ref, callFor(60, AbortSignal.abort(reason))),
          (error) => error === reason,
          name,
        )
      }
    })

    test('check 53: a deadline that has passed is a timeout, never an empty answer', async () => {
      for (const [name, use] of verbs) {
        await assert.rejects(
          use(mailbox.adapter, ref, callFor(-1)),
          (error) => error instanceof Fault && error.code === 'timeout',
          name,
        )
      }
    })

    test('after a call that was stopped the adapter works as before', async () => {
      const controller = new AbortController()
      const stopped = mailbox.adapter.searchMessages(query, pageOf(10), callFor(60, controller.signal))
      controller.abort(new Error('stopped by the test'))
      await assert.rejects(stopped)
      assert.equal((await mailbox.adapter.countMessages(query, callFor())).count, 3)
    })

    test('calls at the same time do not disturb each other', async () => {
      const alone: unknown[] = []
      for (const [, use] of verbs) alone.push(await use(mailbox.adapter, ref, callFor()))
      const together = await Promise.all(verbs.map(([, use]) => use(mailbox.adapter, ref, callFor())))
      for (const [index, [name]] of verbs.entries()) assert.deepEqual(together[index], alone[index], name)
    })
  })
}
