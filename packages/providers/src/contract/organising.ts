import { findHeader, type FolderId, type ItemOutcome, type LookIn, type MessageRef } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  callFor,
  faultOf,
  keyOf,
  pageOf,
  seed,
  writeCallFor,
  type ContractMailbox,
  type MakeMailbox,
} from './mailbox.ts'
import { plain } from './messages.ts'

const goneRef: MessageRef = { locator: new Uint8Array(26).fill(7) }

/** Marks, moves, copies, Trash and the end: what is told of each message is what another client sees. */
export function describeOrganising(make: MakeMailbox): void {
  describe('organising', () => {
    let mailbox: ContractMailbox
    let work: FolderId = ''
    let aside: FolderId = ''
    let trash: FolderId = ''
    let made = 0

    before(async () => {
      mailbox = await make()
      work = (await mailbox.addFolder(['Work'])) ?? assert.fail('no folder')
      aside = (await mailbox.addFolder(['Aside'])) ?? assert.fail('no folder')
      const roles = await mailbox.adapter.listFolders('now', callFor())
      trash =
        roles.find(({ role }) => role === 'trash')?.folderId ??
        (await mailbox.addFolder(['Trash'])) ??
        assert.fail('no Trash')
      assert.equal(
        (await mailbox.adapter.listFolders('now', callFor())).find(({ folderId }) => folderId === trash)
          ?.role,
        'trash',
      )
    })
    after(() => mailbox.close())

    const keysIn = async (folderId: FolderId): Promise<readonly string[]> =>
      (
        await mailbox.adapter.listMessages(folderId, { isUnreadOnly: false }, pageOf(200), callFor())
      ).messages.map(keyOf)
    /** Fresh messages in INBOX, by new keys. */
    const deliver = async (
      count: number,
    ): Promise<{ keys: readonly string[]; refs: readonly MessageRef[] }> => {
      const keys = Array.from({ length: count }, () => `org${++made}`)
      await seed(
        mailbox,
        'INBOX',
        keys.map((key) => plain({ key })),
      )
      const page = await mailbox.adapter.listMessages(
        'INBOX',
        { isUnreadOnly: false },
        pageOf(200),
        callFor(),
      )
      const refs = keys.map(
        (key) =>
          page.messages.find((row) => keyOf(row) === key)?.message.ref ??
          assert.fail('a message was not listed'),
      )
      return { keys, refs }
    }
    const placeOf = async (
      ref: MessageRef,
    ): Promise<{ folderId: FolderId; key: string; isSeen: boolean } | null> => {
      const [found] = await mailbox.adapter.getMessages([ref], callFor())
      if (found?.isFound !== true) return null
      const { folderId, headers, flags } = found.value
      const key = /<([^<>@]*)@/.exec(findHeader(headers, 'Message-ID') ?? '')?.[1] ?? ''
      return { folderId, key, isSeen: flags.seen }
    }
    const statuses = (outcomes: readonly ItemOutcome[]): readonly string[] =>
      outcomes.map(({ status }) => status)
    const newRefOf = (outcome: ItemOutcome | undefined): MessageRef =>
      outcome?.status === 'done' && outcome.newRef !== null ? outcome.newRef : assert.fail('no new ref')

    test('a flag is set and cleared; what was so already is unchanged, and an id that is gone fails alone', async () => {
      const { refs } = await deliver(2)
      const set = (isOn: boolean, some: readonly MessageRef[]): Promise<readonly ItemOutcome[]> =>
        mailbox.adapter.setMarks(some, { kind: 'flag', flag: 'seen', isOn }, writeCallFor())
      assert.deepEqual(statuses(await set(true, refs.slice(0, 1))), ['done'])
      const outcomes = await set(true, [...refs, goneRef])
      assert.deepEqual(statuses(outcomes), ['unchanged', 'done', 'failed'])
      assert.ok(outcomes[2]?.status === 'failed' && outcomes[2].fault.code === 'message_not_found')
      assert.deepEqual(await Promise.all(refs.map(async (ref) => (await placeOf(ref))?.isSeen)), [true, true])
      assert.deepEqual(statuses(await set(false, refs)), ['done', 'done'])
      assert.equal((await placeOf(refs[0] ?? goneRef))?.isSeen, false)
    })

    test('labels come and go, or the server says that it keeps none', async () => {
      const { refs } = await deliver(1)
      const label = (add: readonly string[], remove: readonly string[]): Promise<readonly ItemOutcome[]> =>
        mailbox.adapter.setMarks(refs, { kind: 'labels', add, remove }, writeCallFor())
      assert.deepEqual(statuses(await label(['Project-X'], [])), ['done'])
      assert.deepEqual(statuses(await label(['Project-X'], ['Never'])), ['unchanged'])
      const [found] = await mailbox.adapter.getMessages(refs, callFor())
      assert.ok(found?.isFound)
      assert.deepEqual(found.value.labels.filter((name) => name.toLowerCase() === 'project-x').length, 1)
      assert.deepEqual(statuses(await label([], ['Project-X'])), ['done'])
    })

    test('check 103: a move takes messages where it should; the old ids go on working, and so do the new ones', async () => {
      const { keys, refs } = await deliver(3)
      const outcomes = await mailbox.adapter.moveMessages(
        refs,
        { folderId: work, mayDiscard: false },
        writeCallFor(),
      )
      assert.deepEqual(statuses(outcomes), ['done', 'done', 'done'])
      const [inbox, there] = [await keysIn('INBOX'), await keysIn(work)]
      assert.ok(keys.every((key) => there.includes(key) && !inbox.includes(key)))
      for (const [index, ref] of refs.entries()) {
        assert.deepEqual([(await placeOf(ref))?.folderId, (await placeOf(ref))?.key], [work, keys[index]])
        assert.equal((await placeOf(newRefOf(outcomes[index])))?.key, keys[index])
      }
      const again = await mailbox.adapter.moveMessages(
        refs,
        { folderId: work, mayDiscard: false },
        writeCallFor(),
      )
      assert.deepEqual(statuses(again), ['unchanged', 'unchanged', 'unchanged'])
    })

    test('a message is located at its address, wherever it went, or in the folders that are named', async () => {
      const { refs } = await deliver(2)
      const [stays = goneRef, goes = goneRef] = refs
      const moved = await mailbox.adapter.moveMessages(
        [goes],
        { folderId: work, mayDiscard: false },
        writeCallFor(),
      )
      await mailbox.adapter.setMarks([stays], { kind: 'flag', flag: 'flagged', isOn: true }, writeCallFor())
      const look = async (lookIn: LookIn): Promise<readonly unknown[]> =>
        (await mailbox.adapter.locateMessages([stays, goes, goneRef], lookIn, callFor())).map(
          ({ homeId, now }) => [homeId, now?.folderId ?? null, now?.flags.flagged ?? null],
        )
      assert.deepEqual(await look('address'), [
        ['INBOX', 'INBOX', true],
        ['INBOX', null, null],
        [null, null, null],
      ])
      assert.deepEqual(await look('anywhere'), [
        ['INBOX', 'INBOX', true],
        ['INBOX', work, false],
        [null, null, null],
      ])
      assert.deepEqual(await look([work]), [
        ['INBOX', null, null],
        ['INBOX', work, false],
        [null, null, null],
      ])
      const newRef = newRefOf(moved[0])
      const [found] = await mailbox.adapter.locateMessages([goes], 'anywhere', callFor())
      assert.deepEqual(Buffer.from(found?.now?.ref.locator ?? []), Buffer.from(newRef.locator))
    })

    test('a message that another client has moved meanwhile is moved from where it is', async () => {
      const { keys, refs } = await deliver(2)
      await mailbox.move(keys[0] ?? '', 'INBOX', work)
      const outcomes = await mailbox.adapter.moveMessages(
        [...refs, goneRef],
        { folderId: trash, mayDiscard: true },
        writeCallFor(),
      )
      assert.deepEqual(statuses(outcomes), ['done', 'done', 'failed'])
      const there = await keysIn(trash)
      assert.ok(keys.every((key) => there.includes(key)))
    })

    test('check 113: nothing goes to Trash for who may not discard, and nowhere for a folder that is not there', async () => {
      const { refs } = await deliver(1)
      const below = await mailbox.adapter.saveFolder(
        { kind: 'create', parentId: trash, name: 'Below' },
        writeCallFor(),
      )
      assert.ok(below.status !== 'unknown')
      const before = await mailbox.snapshot()
      const to = (folderId: FolderId): Promise<unknown> =>
        mailbox.adapter.moveMessages(refs, { folderId, mayDiscard: false }, writeCallFor())
      await assert.rejects(to(trash), faultOf('insufficient_scope'))
      await assert.rejects(to(below.folder.folderId), faultOf('insufficient_scope'))
      await assert.rejects(to('No Such Folder'), faultOf('folder_not_found'))
      await assert.rejects(
        mailbox.adapter.copyMessages(refs, { folderId: trash, mayDiscard: false }, writeCallFor()),
        faultOf('insufficient_scope'),
      )
      assert.equal(await mailbox.snapshot(), before)
    })

    test('a copy is another message, and the original stays', async () => {
      const { keys, refs } = await deliver(1)
      const [outcome] = await mailbox.adapter.copyMessages(
        refs,
        { folderId: work, mayDiscard: false },
        writeCallFor(),
      )
      assert.deepEqual(await placeOf(newRefOf(outcome)), { folderId: work, key: keys[0], isSeen: false })
      assert.equal((await placeOf(refs[0] ?? goneRef))?.folderId, 'INBOX')
    })

    test('a copy into the same folder makes two, and one of a message that is gone fails alone', async () => {
      const { keys, refs } = await deliver(1)
      const outcomes = await mailbox.adapter.copyMessages(
        [...refs, goneRef],
        { folderId: 'INBOX', mayDiscard: false },
        writeCallFor(),
      )
      assert.deepEqual(statuses(outcomes), ['done', 'failed'])
      assert.equal((await keysIn('INBOX')).filter((key) => key === keys[0]).length, 2)
    })

    test('a message that is named twice is deleted once, and its copy elsewhere stays', async () => {
      const { keys, refs } = await deliver(1)
      const [ref = goneRef] = refs
      await mailbox.adapter.copyMessages([ref], { folderId: work, mayDiscard: false }, writeCallFor())
      const outcomes = await mailbox.adapter.deleteMessages([ref, ref], writeCallFor())
      assert.deepEqual(statuses(outcomes), ['done', 'done'])
      const [inbox, there] = [await keysIn('INBOX'), await keysIn(work)]
      assert.deepEqual([inbox.includes(keys[0] ?? ''), there.includes(keys[0] ?? '')], [false, true])
    })

    for (const order of ['the older id first', 'the newer id first'] as const) {
      test(`two ids of one message, one of them from before a move, lead to one act, and a copy elsewhere stays as it is (${order})`, async () => {
        const { adapter } = mailbox
        const named = async (): Promise<{
          key: string
          ids: readonly MessageRef[]
          now: MessageRef
          copy: MessageRef
        }> => {
          const { keys, refs } = await deliver(1)
          const copied = await adapter.copyMessages(
            refs,
            { folderId: work, mayDiscard: false },
            writeCallFor(),
          )
          const moved = await adapter.moveMessages(
            refs,
            { folderId: aside, mayDiscard: false },
            writeCallFor(),
          )
          const ids = [refs[0] ?? goneRef, newRefOf(moved[0])]
          return {
            key: keys[0] ?? '',
            ids: order === 'the older id first' ? ids : ids.toReversed(),
            now: newRefOf(moved[0]),
            copy: newRefOf(copied[0]),
          }
        }
        const countsOf = async (key: string): Promise<readonly number[]> => {
          const counts: number[] = []
          for (const folderId of ['INBOX', work, aside, trash])
            counts.push((await keysIn(folderId)).filter((one) => one === key).length)
          return counts
        }

        const moving = await named()
        const moved = await adapter.moveMessages(
          moving.ids,
          { folderId: trash, mayDiscard: true },
          writeCallFor(),
        )
        assert.deepEqual(statuses(moved), ['done', 'done'])
        assert.deepEqual(newRefOf(moved[0]), newRefOf(moved[1]))
        assert.deepEqual(await countsOf(moving.key), [0, 1, 0, 1])

        // What is gone for ever is not looked for.
        const deleting = await named()
        assert.deepEqual(statuses(await adapter.deleteMessages(deleting.ids, writeCallFor())).toSorted(), [
          'done',
          'failed',
        ])
        assert.deepEqual(await countsOf(deleting.key), [0, 1, 0, 0])

        const marking = await named()
        const change = { kind: 'flag', flag: 'seen', isOn: true } as const
        assert.deepEqual(statuses(await adapter.setMarks(marking.ids, change, writeCallFor())), [
          'done',
          'done',
        ])
        assert.equal((await placeOf(marking.copy))?.isSeen, false)
        assert.equal((await placeOf(marking.now))?.isSeen, true)

        const copying = await named()
        const copied = await adapter.copyMessages(
          copying.ids,
          { folderId: 'INBOX', mayDiscard: false },
          writeCallFor(),
        )
        assert.deepEqual(statuses(copied), ['done', 'done'])
        assert.deepEqual(await countsOf(copying.key), [1, 1, 1, 0])
      })
    }

    test('two ids of one message that are both older than its last move lead to one act', async () => {
      const { adapter } = mailbox
      const { keys, refs } = await deliver(1)
      const to = (folderId: FolderId, mayDiscard = false): Parameters<typeof adapter.moveMessages>[1] => ({
        folderId,
        mayDiscard,
      })
      const first = await adapter.moveMessages(refs, to(aside), writeCallFor())
      const ids = [...refs, newRefOf(first[0])]
      await adapter.moveMessages([newRefOf(first[0])], to(work), writeCallFor())
      assert.deepEqual(statuses(await adapter.moveMessages(ids, to(trash, true), writeCallFor())), [
        'done',
        'done',
      ])
      assert.equal((await keysIn(trash)).filter((key) => key === keys[0]).length, 1)
      assert.deepEqual(statuses(await adapter.deleteMessages(ids, writeCallFor())), ['failed', 'failed'])
      assert.equal((await placeOf(ids[0] ?? goneRef))?.folderId, trash)
    })

    test('what has left its address is located for certain only while no second message is like it', async () => {
      const { adapter } = mailbox
      const { refs } = await deliver(2)
      const [moves = goneRef, stays = goneRef] = refs
      const locate = async (): Promise<readonly unknown[]> =>
        (await adapter.locateMessages([moves, stays, goneRef], 'certain_to_change', callFor())).map(
          ({ now, isDoubtful }) => [now?.folderId ?? null, isDoubtful],
        )
      const to = (folderId: FolderId) => ({ folderId, mayDiscard: false })
      const [moved] = await adapter.moveMessages([moves], to(work), writeCallFor())
      assert.deepEqual(await locate(), [
        [work, false],
        ['INBOX', false],
        [null, false],
      ])
      await adapter.copyMessages([newRefOf(moved), stays], to(aside), writeCallFor())
      assert.deepEqual(await locate(), [
        [null, true],
        ['INBOX', false],
        [null, false],
      ])
    })

    test('500 messages are moved in one call, each with an answer of its own', async () => {
      const many = (await mailbox.addFolder(['Many'])) ?? assert.fail('no folder')
      const target = (await mailbox.addFolder(['Many Moved'])) ?? assert.fail('no folder')
      const keys = Array.from({ length: 500 }, (_, index) => `many${index}`)
      await seed(
        mailbox,
        many,
        keys.map((key) => plain({ key })),
      )
      const refs: MessageRef[] = []
      for (let offset = 0; offset < keys.length; offset += 100) {
        const page = pageOf(100, offset)
        const { messages } = await mailbox.adapter.listMessages(
          many,
          { isUnreadOnly: false },
          page,
          callFor(),
        )
        refs.push(...messages.map(({ message }) => message.ref))
      }
      const to = { folderId: target, mayDiscard: false }
      const outcomes = await mailbox.adapter.moveMessages(refs, to, writeCallFor())
      assert.equal(outcomes.length, 500)
      assert.deepEqual(new Set(statuses(outcomes)), new Set(['done']))
      const query = { criterion: { kind: 'all' }, folderIds: [many, target] } as const
      const count = await mailbox.adapter.countMessages(query, callFor())
      const left = await mailbox.adapter.countMessages({ ...query, folderIds: [many] }, callFor())
      assert.deepEqual([count.count, left.count], [500, 0])
      assert.equal((await placeOf(newRefOf(outcomes[0])))?.folderId, target)
    })

    test('Trash takes messages once; what lies there already is unchanged', async () => {
      const { keys, refs } = await deliver(2)
      assert.deepEqual(statuses(await mailbox.adapter.trashMessages(refs, writeCallFor())), ['done', 'done'])
      assert.deepEqual(statuses(await mailbox.adapter.trashMessages(refs, writeCallFor())), [
        'unchanged',
        'unchanged',
      ])
      const there = await keysIn(trash)
      assert.ok(keys.every((key) => there.includes(key)))
    })

    test('check 112: what is deleted for ever is just what was named; mail that another client marked survives everything', async () => {
      const { keys, refs } = await deliver(5)
      const [marked = ''] = keys
      const hasMark = await mailbox.markDeleted(marked, 'INBOX')
      const [, one = goneRef, two = goneRef, three = goneRef, four = goneRef] = refs
      const { adapter } = mailbox
      assert.deepEqual(statuses(await adapter.deleteMessages([one, goneRef], writeCallFor())), [
        'done',
        'failed',
      ])
      assert.deepEqual(
        statuses(await adapter.moveMessages([two], { folderId: work, mayDiscard: false }, writeCallFor())),
        ['done'],
      )
      assert.deepEqual(statuses(await adapter.trashMessages([three], writeCallFor())), ['done'])
      assert.deepEqual(
        statuses(
          await adapter.setMarks([four], { kind: 'flag', flag: 'flagged', isOn: true }, writeCallFor()),
        ),
        ['done'],
      )
      const left = await keysIn('INBOX')
      assert.deepEqual([left.includes(marked), left.includes(keys[1] ?? '')], [true, false])
      assert.equal(await placeOf(one), null)
      if (hasMark) assert.ok((await mailbox.snapshot()).includes('Deleted'))
    })

    test('stopped before its point of no return, a change has changed nothing', async () => {
      const { refs } = await deliver(2)
      const before = await mailbox.snapshot()
      const { adapter } = mailbox
      const stop = writeCallFor('change')
      const stopped = faultOf('operation_in_progress')
      const to = { folderId: work, mayDiscard: false }
      await assert.rejects(adapter.moveMessages(refs, to, stop), stopped)
      await assert.rejects(adapter.copyMessages(refs, to, stop), stopped)
      await assert.rejects(adapter.trashMessages(refs, stop), stopped)
      await assert.rejects(adapter.deleteMessages(refs, stop), stopped)
      await assert.rejects(adapter.setMarks(refs, { kind: 'flag', flag: 'seen', isOn: true }, stop), stopped)
      const controller = new AbortController()
      controller.abort(new RangeError('gone'))
      const over = writeCallFor(null, callFor(60, controller.signal))
      await assert.rejects(adapter.moveMessages(refs, to, over), RangeError)
      await assert.rejects(adapter.deleteMessages(refs, writeCallFor(null, callFor(-1))), faultOf('timeout'))
      assert.equal(await mailbox.snapshot(), before)
    })
  })
}
