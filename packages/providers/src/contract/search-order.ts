import { compareAnchors, type Anchor, type MessageRow } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { keyOf, pageOf, search, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { plain } from './messages.ts'

const count = 31

export function describeSearchOrder(make: MakeMailbox): void {
  describe('order and pages of a search', () => {
    let mailbox: ContractMailbox
    let late = 0
    before(async () => {
      mailbox = await make()
      const folders = ['INBOX', await mailbox.addFolder(['One']), await mailbox.addFolder(['Two'])]
      for (let index = 0; index < count; index++) {
        const folderId = folders[index % 3] ?? 'INBOX'
        // Arrival, reception and folder disagree; every third instant is shared by several messages.
        const receivedAt = new Date(Date.UTC(2026, 2, 1 + Math.floor(((index * 11) % count) / 3)))
        const subject = index % 2 === 0 ? 'even' : 'odd'
        await seed(mailbox, folderId, [plain({ key: `n${String(index)}`, receivedAt, subject })])
      }
    })
    after(() => mailbox.close())

    const isSorted = (rows: readonly MessageRow[]): boolean =>
      rows.every((row, index) => {
        const next = rows[index + 1]
        return next === undefined || compareAnchors(row.anchor, next.anchor) < 0
      })

    for (const query of [
      'in:anywhere',
      'subject:even',
      'in:INBOX',
      'in:One subject:odd',
      'subject:even after:2026/3/5',
    ]) {
      test(`checks 40, 69: ${query}: newest received first, and every size, limit and offset gives a piece of the whole`, async () => {
        const whole = await search(mailbox, query)
        assert.ok(whole.messages.length > 2)
        assert.ok(isSorted(whole.messages))
        assert.equal(whole.total, whole.messages.length)
        assert.equal(whole.hasMore, false)
        const keys = whole.messages.map(keyOf)
        for (const limit of [1, 10, 100]) {
          for (const offset of [0, 1, 29, 31, 40]) {
            const page = await search(mailbox, query, { page: pageOf(limit, offset) })
            const label = `limit ${String(limit)} offset ${String(offset)}`
            assert.deepEqual(page.messages.map(keyOf), keys.slice(offset, offset + limit), label)
            assert.equal(page.hasMore, keys.length > offset + limit, label)
            assert.ok(page.total === null || page.total === keys.length, label)
          }
        }
      })
    }

    for (const query of ['in:anywhere', 'subject:even', 'in:One']) {
      test(`check 41: ${query}: pages from an anchor neither repeat nor lose a row while mail arrives`, async () => {
        const expected = (await search(mailbox, query)).messages.map(keyOf)
        const seen: string[] = []
        let anchor: Anchor | null = null
        for (let turn = 0; turn < count; turn++) {
          const page = await search(mailbox, query, { page: pageOf(4, 0, anchor) })
          seen.push(...page.messages.map(keyOf))
          anchor = page.messages.at(-1)?.anchor ?? null
          if (!page.hasMore) break
          // Each is the newest of all: one that shared the anchor's instant would have its place behind it.
          late += 1
          const receivedAt = new Date(Date.UTC(2026, 5, 1, 0, late))
          await mailbox.append('INBOX', plain({ key: `late${String(late)}`, receivedAt, subject: 'even' }))
        }
        assert.deepEqual(seen, expected)
      })
    }

    test('check 41: an anchor holds when the row it names has gone', async () => {
      const expected = (await search(mailbox, 'in:One')).messages
      const last = expected[2]
      assert.ok(last)
      const target = await mailbox.addFolder(['Three'])
      assert.ok(target)
      await mailbox.move(keyOf(last), last.message.folderId, target)
      const page = await search(mailbox, 'in:One', { page: pageOf(100, 0, last.anchor) })
      assert.deepEqual(page.messages.map(keyOf), expected.slice(3).map(keyOf))
    })
  })
}
