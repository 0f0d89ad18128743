import { marksAfter, type ArrivalPage, type FolderMark, type SearchQuery } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { callFor, keyOf, seed, type ContractMailbox, type MakeMailbox } from './mailbox.ts'
import { attachment, multipart, plain, textPart, type ContractMessage } from './messages.ts'

const hourMs = 3_600_000
const from = new Date(Date.now() - hourMs)
const old = new Date(Date.UTC(2020, 1, 3, 4, 5, 6))

function fresh(key: string, subject = 'News'): ContractMessage {
  return plain({ key, subject, receivedAt: new Date(Math.floor(Date.now() / 1_000) * 1_000) })
}

export function describeArrivals(make: MakeMailbox): void {
  describe('arrivals', () => {
    let mailbox: ContractMailbox
    let work: string

    before(async () => {
      mailbox = await make()
      work = (await mailbox.addFolder(['Work'])) ?? assert.fail('no folder')
    })
    after(() => mailbox.close())

    const listed = (
      query: SearchQuery,
      marks: readonly FolderMark[] = [],
      limit = 50,
    ): Promise<ArrivalPage> => mailbox.adapter.listArrivals({ query, since: from, marks, limit }, callFor())
    const all = (...folderIds: string[]): SearchQuery => ({ criterion: { kind: 'all' }, folderIds })
    const keys = ({ arrivals }: ArrivalPage): string[] => arrivals.map(keyOf)

    test('check 106: marks give every later message once, in the order of arrival, whatever its date', async () => {
      await seed(mailbox, 'INBOX', [plain({ key: 'ancient', receivedAt: old }), fresh('recent')])
      const first = await listed(all('INBOX'))
      assert.deepEqual(keys(first), ['recent'], 'before anybody looked, the date decides')
      assert.deepEqual(keys(await listed(all('INBOX'), first.marks)), [])
      await seed(mailbox, 'INBOX', [
        plain({ key: 'late-old', receivedAt: old }),
        fresh('late-new'),
        plain({ key: 'late-future', receivedAt: new Date(Date.UTC(2031, 0, 1)) }),
      ])
      const second = await listed(all('INBOX'), first.marks)
      assert.deepEqual(keys(second), ['late-old', 'late-new', 'late-future'])
      assert.deepEqual(keys(await listed(all('INBOX'), second.marks)), [])
      assert.deepEqual(
        keys(await listed(all('INBOX'), first.marks)),
        keys(second),
        'the same marks, the same page',
      )
    })

    test('pages of any size, cut anywhere, give each message once over several folders', async () => {
      const start = (await listed(all('INBOX', work))).marks
      const sent: string[] = []
      for (let index = 0; index < 7; index += 1) {
        sent.push(`p${String(index)}`)
        await seed(mailbox, index % 3 === 0 ? work : 'INBOX', [fresh(`p${String(index)}`)])
      }
      for (const [limit, kept] of [
        [1, 1],
        [3, 3],
        [3, 2],
        [4, 1],
        [10, 5],
      ] as const) {
        let marks: readonly FolderMark[] = start
        const got: string[] = []
        for (let page = await listed(all('INBOX', work), marks, limit); page.arrivals.length > 0;) {
          got.push(...keys(page).slice(0, kept))
          marks = marksAfter(page, Math.min(kept, page.arrivals.length))
          page = await listed(all('INBOX', work), marks, limit)
        }
        assert.deepEqual(got.toSorted(), sent, `limit ${String(limit)} kept ${String(kept)}`)
      }
    })

    test('a message that is moved into the folder arrives there, though it is old', async () => {
      await seed(mailbox, work, [plain({ key: 'traveller', receivedAt: old })])
      const { marks } = await listed(all('INBOX'))
      await mailbox.move('traveller', work, 'INBOX')
      assert.deepEqual(keys(await listed(all('INBOX'), marks)), ['traveller'])
    })

    test('what is asked decides, also what is checked here, and what does not match is not seen again', async () => {
      const query: SearchQuery = {
        criterion: {
          kind: 'and',
          of: [{ kind: 'text', field: 'subject', value: 'wanted' }, { kind: 'attachment' }],
        },
        folderIds: ['INBOX'],
      }
      const { marks } = await listed(query)
      await seed(mailbox, 'INBOX', [
        fresh('plain-wanted', 'wanted'),
        multipart({ key: 'other-file', subject: 'other', receivedAt: new Date() }, 'mixed', [
          textPart('Body.'),
          attachment('application/pdf', 'a.pdf', Uint8Array.of(1)),
        ]),
        multipart({ key: 'wanted-file', subject: 'WANTED too', receivedAt: new Date() }, 'mixed', [
          textPart('Body.'),
          attachment('application/pdf', 'b.pdf', Uint8Array.of(2)),
        ]),
      ])
      const page = await listed(query, marks)
      assert.deepEqual(keys(page), ['wanted-file'])
      assert.equal(page.hasMore, false)
      assert.deepEqual(keys(await listed(query, page.marks)), [])
    })

    test('a folder that is not there is reported, and keeps the mark it had', async () => {
      const gone = { folderId: 'Nowhere', at: 'AAAAAQAAAAEAAAAAAAAAAA' }
      const { marks: known } = await listed(all('INBOX'))
      const page = await listed(all('INBOX', 'Nowhere'), [...known, gone])
      assert.deepEqual(page.foldersFailed, [{ folderId: 'Nowhere', code: 'folder_not_found' }])
      assert.deepEqual(page.marks.at(-1), gone)
    })

    test('check 105: a wait looks once the watch stands, and ends at the first answer', async () => {
      let looks = 0
      const found = await mailbox.adapter.waitForChange(
        ['INBOX'],
        async () => {
          looks += 1
          return 'here'
        },
        callFor(20),
      )
      assert.deepEqual([found, looks], ['here', 1])
    })

    test('a message that comes while one waits is found at once, in each folder that is watched', async () => {
      for (const folderId of ['INBOX', work]) {
        const query = all('INBOX', work)
        const { marks } = await listed(query)
        const startedAt = Date.now()
        const waiting = mailbox.adapter.waitForChange(
          query.folderIds,
          async () => {
            const page = await listed(query, marks)
            return page.arrivals.length > 0 ? keys(page) : null
          },
          callFor(20),
        )
        await sleep(700)
        await seed(mailbox, folderId, [fresh(`while-${folderId === work ? 'work' : 'inbox'}`)])
        assert.deepEqual(await waiting, [`while-${folderId === work ? 'work' : 'inbox'}`])
        assert.ok(Date.now() - startedAt < 12_000, 'within two rounds of asking')
      }
    })

    test('a wait without an answer ends with its deadline, and with its signal at once', async () => {
      const nothing = async (): Promise<null> => null
      assert.equal(await mailbox.adapter.waitForChange(['INBOX'], nothing, callFor(1)), null)
      const controller = new AbortController()
      const reason = new Error('left')
      const waiting = mailbox.adapter.waitForChange(['INBOX'], nothing, callFor(30, controller.signal))
      setTimeout(() => controller.abort(reason), 300)
      const startedAt = Date.now()
      await assert.rejects(waiting, (error) => error === reason)
      assert.ok(Date.now() - startedAt < 1_500)
    })
  })
}
