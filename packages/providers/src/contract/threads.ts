import { Fault } from '@postern/core'
import { findHeader, type FolderId, type MessageRef, type Thread, type ThreadRef } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { callFor, keyOf, pageOf, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { octets, plain, type ContractMessage, type MessageDraft } from './messages.ts'

const start = Date.UTC(2026, 4, 4, 8)

interface Answer extends MessageDraft {
  /** Keys of what it answers, the oldest first. */
  readonly refs?: readonly string[]
  readonly inReplyTo?: string
  /** Minutes after the first message. */
  readonly at?: number
}

function answer({ refs = [], inReplyTo, at = 0, ...draft }: Answer): ContractMessage {
  const idOf = (key: string): string => `<${key}@contract.example>`
  return plain({
    subject: 'Plan',
    ...draft,
    receivedAt: new Date(start + at * 60_000),
    headers: [
      'Content-Type: text/plain; charset=utf-8',
      ...(refs.length === 0 ? [] : [`References: ${refs.map(idOf).join('\r\n ')}`]),
      ...(inReplyTo === undefined ? [] : [`In-Reply-To: ${idOf(inReplyTo)}`]),
      ...(draft.headers ?? []),
    ],
  })
}

export function describeThreads(make: MakeMailbox): void {
  describe('conversations', () => {
    let mailbox: ContractMailbox
    let sent: FolderId
    let work: FolderId
    /** The server keeps conversations of its own, by rules of its own. */
    let isNative: boolean

    const folderOf = async (role: string): Promise<FolderId> => {
      const folders = await mailbox.adapter.listFolders('now', callFor())
      return folders.find((folder) => folder.role === role)?.folderId ?? assert.fail(`no folder ${role}`)
    }
    const refOf = async (key: string, folderId: FolderId = 'INBOX'): Promise<MessageRef> => {
      const page = await mailbox.adapter.listMessages(
        folderId,
        { isUnreadOnly: false },
        pageOf(100),
        callFor(),
      )
      const row = page.messages.find((each) => keyOf(each) === key) ?? assert.fail(`no message ${key}`)
      return row.message.ref
    }
    const thread = (ref: ThreadRef): Promise<Thread> => mailbox.adapter.listThread(ref, callFor())
    const keysOf = ({ messages }: Thread): readonly string[] =>
      messages.map(
        ({ headers }) => /<([^@]*)@contract/.exec(findHeader(headers, 'Message-ID') ?? '')?.[1] ?? '',
      )
    const keys = async (key: string, folderId?: FolderId): Promise<readonly string[]> =>
      keysOf(await thread(await refOf(key, folderId)))

    before(async () => {
      mailbox = await make()
      sent = await folderOf('sent')
      work = (await mailbox.addFolder(['Work'])) ?? assert.fail('no folder')
      await seed(mailbox, 'INBOX', [
        answer({ key: 'first' }),
        answer({ key: 'third', refs: ['first', 'second'], inReplyTo: 'second', at: 3, subject: 'Re: Plan' }),
        answer({ key: 'other', at: 5, subject: 'Another matter' }),
      ])
      const own = { from: mailbox.ownAddress, to: 'amy@contract.example', subject: 'Re: Plan' }
      await seed(mailbox, sent, [
        answer({ key: 'second', ...own, refs: ['first'], inReplyTo: 'first', at: 2 }),
      ])
      await seed(mailbox, work, [
        answer({ key: 'fourth', subject: '[list] Re: Plan', refs: ['first', 'second', 'third'], at: 4 }),
        answer({ key: 'fifth', subject: 'Re: Plan', inReplyTo: 'third', at: 6 }),
      ])
      isNative = (await thread(await refOf('first'))).nativeThreadId !== null
    })
    after(() => mailbox.close())

    test('check 101: every message leads to all of its conversation, sent mail included, oldest first', async () => {
      const all = ['first', 'second', 'third', 'fourth', 'fifth']
      for (const [key, folderId] of [
        ['first', 'INBOX'],
        ['second', sent],
        ['third', 'INBOX'],
        ['fifth', work],
      ] as const) {
        const found = await thread(await refOf(key, folderId))
        assert.deepEqual([keysOf(found), found.isComplete], [all, true], key)
      }
      assert.deepEqual(await keys('other'), ['other'])
    })

    test("a conversation is found again by the provider's own id of it, and an unknown one is not there", async () => {
      const { nativeThreadId } = await thread(await refOf('first'))
      assert.equal(nativeThreadId !== null, isNative)
      if (nativeThreadId !== null) assert.equal((await thread({ nativeThreadId })).messages.length, 5)
      await assert.rejects(
        thread({ nativeThreadId: 'T0123456789abcdef' }),
        (error) => error instanceof Fault && error.code === 'message_not_found',
      )
    })

    test('messages come with the headers that place them, and under ids that read them', async () => {
      const { messages } = await thread(await refOf('first'))
      const found = await mailbox.adapter.getMessages(
        messages.map(({ ref }) => ref),
        callFor(),
      )
      for (const [index, each] of found.entries()) {
        const listed = messages[index]
        assert.ok(each.isFound && listed !== undefined)
        for (const name of ['From', 'Subject', 'Message-ID', 'References'])
          assert.equal(findHeader(listed.headers, name), findHeader(each.value.headers, name), name)
        assert.deepEqual(
          [each.value.folderId, each.value.receivedAt, each.value.flags],
          [listed.folderId, listed.receivedAt, listed.flags],
        )
      }
    })

    test('check 102: mails without headers that use a subject again are separate, their answers are not', async () => {
      await seed(mailbox, 'INBOX', [
        answer({ key: 'hello-1', subject: 'Hello', at: 10 }),
        answer({ key: 'hello-2', subject: 'Hello', at: 20 }),
      ])
      assert.deepEqual(await keys('hello-1'), ['hello-1'])
      const own = { from: mailbox.ownAddress, to: 'amy@contract.example' }
      await seed(mailbox, sent, [answer({ key: 'hello-re', ...own, subject: 'Re: Hello', at: 30 })])
      assert.deepEqual(await keys('hello-1'), ['hello-1'])
      if (isNative) return
      assert.deepEqual(await keys('hello-2'), ['hello-2', 'hello-re'])
      assert.deepEqual(await keys('hello-re', sent), ['hello-2', 'hello-re'])
    })

    test('check 102: a subject beyond ASCII that was changed on the way parts nothing', async () => {
      await seed(mailbox, 'INBOX', [
        answer({ key: 'gruss', subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=', at: 10 }),
        answer({ key: 'gruss-re', subject: '=?utf-8?Q?AW=3A_Gr=C3=BC=C3=9Fe?=', at: 11 }),
        answer({
          key: 'gruss-list',
          subject: '[list] Re: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
          refs: ['gruss'],
          at: 12,
        }),
      ])
      const found = await keys('gruss')
      assert.deepEqual(found, isNative ? ['gruss', 'gruss-list'] : ['gruss', 'gruss-re', 'gruss-list'])
    })

    test('what lies in Spam or Trash is left out, but for the message that was asked for', async () => {
      const trash = await folderOf('trash')
      await seed(mailbox, 'INBOX', [answer({ key: 'kept', at: 40, subject: 'Bins' })])
      await seed(mailbox, trash, [
        answer({ key: 'gone-1', refs: ['kept'], at: 41, subject: 'Re: Bins' }),
        answer({ key: 'gone-2', refs: ['kept'], at: 42, subject: 'Re: Bins' }),
      ])
      assert.deepEqual(await keys('kept'), ['kept'])
      assert.deepEqual(await keys('gone-1', trash), ['kept', 'gone-1'])
    })

    test('a copy in a second folder is not a second message', async () => {
      const twice = answer({ key: 'twice', at: 50, subject: 'Copies' })
      await seed(mailbox, 'INBOX', [
        twice,
        answer({ key: 'twice-re', refs: ['twice'], at: 51, subject: 'Re: Copies' }),
      ])
      await seed(mailbox, work, [twice])
      assert.deepEqual(await keys('twice-re'), ['twice', 'twice-re'])
      assert.deepEqual(await keys('twice', work), ['twice', 'twice-re'])
    })

    test('a conversation follows its messages when they are moved', async () => {
      await seed(mailbox, 'INBOX', [
        answer({ key: 'moving', at: 60, subject: 'Moving' }),
        answer({ key: 'moving-re', refs: ['moving'], at: 61, subject: 'Re: Moving' }),
      ])
      const ref = await refOf('moving')
      await mailbox.move('moving', 'INBOX', work)
      assert.deepEqual(keysOf(await thread(ref)), ['moving', 'moving-re'])
    })

    test('check 101: of 60 messages in three folders none is missing, whichever was asked for', async () => {
      const all = Array.from({ length: 60 }, (_, n) => `long-${n}`)
      for (const [n, key] of all.entries()) {
        const folderId = ['INBOX', sent, work][n % 3] ?? 'INBOX'
        const refs = all.slice(0, n)
        await seed(mailbox, folderId, [
          answer({ key, refs, subject: n === 0 ? 'Long' : 'Re: Long', at: 100 + n }),
        ])
      }
      for (const [key, folderId] of [
        ['long-0', 'INBOX'],
        ['long-31', sent],
        ['long-59', work],
      ] as const)
        assert.deepEqual(await keys(key, folderId), all, key)
    })

    test('headers that lie, loop or never end join nothing and break nothing', async () => {
      const ids = Array.from({ length: 10_000 }, (_, n) => `<endless-${n}@contract.example>`).join('\r\n ')
      const hostile = (key: string, headers: readonly string[]): ContractMessage =>
        answer({ key, at: 200, subject: key.startsWith('loop') ? 'Re: Loop' : `Hostile ${key}`, headers })
      const accepted = [
        hostile('endless', [`References: ${ids}`]),
        hostile('self', ['References: <self@contract.example>', 'In-Reply-To: <self@contract.example>']),
        hostile('loop-a', ['In-Reply-To: <loop-b@contract.example>']),
        hostile('loop-b', ['In-Reply-To: <loop-a@contract.example>']),
        hostile('quotes', ['In-Reply-To: <"a\\"b{3}) OR (ALL"@x>', 'References: <%*"\\@x> <(ALL)@x>']),
        hostile('eight-bit', ['References: <\u00e9\u00fc@x>', 'In-Reply-To: <\u4f1a@x>']),
        hostile('folded', ['References: <a\r\n b@x> <', ' unclosed', 'In-Reply-To: <']),
      ]
      for (const message of accepted) await mailbox.append('INBOX', message)
      for (const key of ['endless', 'self', 'quotes', 'eight-bit', 'folded'])
        assert.deepEqual(await keys(key), [key], key)
      assert.deepEqual((await keys('loop-a')).toSorted(), ['loop-a', 'loop-b'])
    })

    test('a message without any header is a conversation of its own', async () => {
      const empty = (await mailbox.addFolder(['Bare'])) ?? assert.fail('no folder')
      if (!(await mailbox.append(empty, octets('\nJust a body.\n')))) return
      const page = await mailbox.adapter.listMessages(empty, { isUnreadOnly: false }, pageOf(1), callFor())
      const ref = page.messages[0]?.message.ref ?? assert.fail('nothing was stored')
      assert.equal((await thread(ref)).messages.length, 1)
    })
  })
}
