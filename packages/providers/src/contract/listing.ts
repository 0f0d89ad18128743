import { Fault } from '@postern/core'
import type { FolderId } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { callFor, keyOf, pageOf, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { plain, type ContractMessage } from './messages.ts'

const count = 23

/** Received out of the order of arrival; every third unread. */
function arrivals(): readonly ContractMessage[] {
  return Array.from({ length: count }, (_, index) =>
    plain({
      key: `n${String(index)}`,
      receivedAt: new Date(Date.UTC(2026, 4, 1 + ((index * 7) % count))),
      flags: { seen: index % 3 !== 0 },
    }),
  )
}

export function describeListing(make: MakeMailbox): void {
  describe('listing', () => {
    let mailbox: ContractMailbox
    let inbox: FolderId
    const newestFirst = Array.from({ length: count }, (_, index) => `n${String(count - 1 - index)}`)
    const unreadFirst = newestFirst.filter((key) => Number(key.slice(1)) % 3 === 0)

    before(async () => {
      mailbox = await make()
      inbox = 'INBOX'
      await seed(mailbox, inbox, arrivals())
    })
    after(() => mailbox.close())

    test('checks 40, 69: every size, limit and offset gives what a naive listing gives', async () => {
      for (const [isUnreadOnly, expected] of [
        [false, newestFirst],
        [true, unreadFirst],
      ] as const) {
        for (const limit of [1, 2, 5, 22, 23, 24, 100]) {
          for (const offset of [0, 1, 7, 8, 21, 22, 23, 24, 500]) {
            const page = await mailbox.adapter.listMessages(
              inbox,
              { isUnreadOnly },
              pageOf(limit, offset),
              callFor(),
            )
            const label = `unread ${String(isUnreadOnly)} limit ${String(limit)} offset ${String(offset)}`
            assert.deepEqual(page.messages.map(keyOf), expected.slice(offset, offset + limit), label)
            assert.equal(page.hasMore, expected.length > offset + limit, label)
            assert.equal(page.total, expected.length, label)
          }
        }
      }
    })

    test('an empty folder is an empty page', async () => {
      const folderId = await mailbox.addFolder(['Empty'])
      assert.ok(folderId)
      const page = await mailbox.adapter.listMessages(folderId, { isUnreadOnly: false }, pageOf(5), callFor())
      assert.deepEqual([page.messages, page.total, page.hasMore], [[], 0, false])
    })

    test('a row tells what the mailbox knows of a message', async () => {
      const page = await mailbox.adapter.listMessages(inbox, { isUnreadOnly: false }, pageOf(1), callFor())
      const [row] = page.messages
      assert.equal(row?.isBroken, false)
      assert.equal(row.message.folderId, inbox)
      assert.deepEqual(row.message.receivedAt, arrivals().at(-1)?.receivedAt)
      assert.equal(row.message.flags.seen, true)
      assert.equal(row.message.sizeBytes, arrivals().at(-1)?.raw.length)
      assert.ok(row.message.ref.locator.length <= 26)
    })

    test('a folder that is not there is not found', async () => {
      await assert.rejects(
        mailbox.adapter.listMessages('No such folder', { isUnreadOnly: false }, pageOf(5), callFor()),
        (error) => error instanceof Fault && error.code === 'folder_not_found',
      )
    })

    test('check 41: pages that continue from an anchor neither repeat nor lose a row while mail arrives', async () => {
      for (const [isUnreadOnly, expected] of [
        [false, newestFirst],
        [true, unreadFirst],
      ] as const) {
        const seen: string[] = []
        const known = (key: string): boolean => /^n\d/.test(key)
        let anchor = null
        for (let turn = 0; turn < 40; turn++) {
          const page = await mailbox.adapter.listMessages(
            inbox,
            { isUnreadOnly },
            pageOf(4, 0, anchor),
            callFor(),
          )
          seen.push(...page.messages.map(keyOf))
          anchor = page.messages.at(-1)?.anchor ?? null
          if (!page.hasMore) break
          await mailbox.append(inbox, plain({ key: `late${String(isUnreadOnly)}${String(turn)}` }))
        }
        assert.deepEqual(seen.filter(known), expected)
        assert.equal(new Set(seen).size, seen.length)
      }
    })
  })
}
