import {
  findHeader,
  type ComposedMessage,
  type DraftRef,
  type FolderId,
  type SavedDraft,
} from '@postern/mail'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { compose } from './compose.ts'
import {
  callFor,
  drain,
  faultOf,
  folderWithRole,
  pageOf,
  seed,
  stoppedAtStep,
  writeCallFor,
  type ContractMailbox,
  type MakeMailbox,
} from './mailbox.ts'
import { plain } from './messages.ts'

/** One draft keeps its Message-ID through all its revisions, as mail programs have it. */
function composed(id: string, body: string): ComposedMessage {
  return compose({ key: id, subject: `Draft ${id}`, body })
}

/** Drafts are written, replaced and discarded without a moment in which there is none. */
export function describeDrafts(make: MakeMailbox): void {
  describe('drafts', () => {
    let mailbox: ContractMailbox
    let folderId: FolderId = ''

    before(async () => {
      mailbox = await make()
      folderId = await folderWithRole(mailbox, 'drafts', 'Drafts')
    })
    after(() => mailbox.close())

    const save = async (message: ComposedMessage, replaces: DraftRef | null = null): Promise<SavedDraft> => {
      const outcome = await mailbox.adapter.saveDraft(message, replaces, writeCallFor())
      return outcome.status === 'done' ? outcome.saved : assert.fail(outcome.fault)
    }
    const listed = async (): Promise<readonly string[]> => {
      const { drafts, total } = await mailbox.adapter.listDrafts(pageOf(50), callFor())
      assert.equal(total, drafts.length)
      return drafts.map(({ message }) => findHeader(message.headers, 'Subject')?.trim() ?? '')
    }

    test('a draft is stored as it was written, marked as one, and read back by the id it was given', async () => {
      const message = composed('first', 'Gr\u00fc\u00dfe.')
      const { draft, message: stored, replaced } = await save(message)
      assert.deepEqual([stored.folderId, stored.flags.draft, replaced], [folderId, true, null])
      const { octets } = await mailbox.adapter.openPart(draft.ref, 'original', callFor())
      assert.deepEqual(await drain(octets), Buffer.from(message.octets))
      assert.ok((await listed()).includes('Draft first'))
    })

    test('check 151: a new revision takes the place of the old one under a new id, and there is always one', async () => {
      const first = await save(composed('revised', 'One.'))
      const second = await save(composed('revised', 'One and two.'), first.draft)
      assert.equal(second.replaced, 'removed')
      assert.deepEqual((await listed()).filter((subject) => subject === 'Draft revised').length, 1)
      const { octets } = await mailbox.adapter.openPart(second.draft.ref, 'original', callFor())
      assert.match((await drain(octets)).toString(), /One and two/)
    })

    test('check 151: stopped between the new revision and the removal of the old one, both are there, and it is told', async () => {
      const first = await save(composed('two', 'One.'))
      const outcome = await mailbox.adapter.saveDraft(
        composed('two', 'One and two.'),
        first.draft,
        stoppedAtStep(2),
      )
      assert.ok(outcome.status === 'done')
      assert.equal(outcome.saved.replaced, 'left')
      assert.equal((await listed()).filter((subject) => subject === 'Draft two').length, 2)
    })

    test('of two writers that replace one draft at the same time, no one loses what the other wrote', async () => {
      const first = await save(composed('raced', 'One.'))
      const both = await Promise.allSettled(
        ['Two.', 'Three.'].map((body) =>
          mailbox.adapter.saveDraft(composed('raced', body), first.draft, writeCallFor()),
        ),
      )
      const saved = both.filter((end) => end.status === 'fulfilled' && end.value.status === 'done')
      for (const end of both) if (end.status === 'rejected') assert.ok(faultOf('draft_stale')(end.reason))
      assert.ok(saved.length >= 1)
      assert.equal((await listed()).filter((subject) => subject === 'Draft raced').length, saved.length)
    })

    test('check 152: an old id is stale, whatever is done with it, and changes nothing', async () => {
      const first = await save(composed('stale', 'One.'))
      await save(composed('stale', 'Two.'), first.draft)
      const before = await mailbox.snapshot()
      const stale = faultOf('draft_stale')
      await assert.rejects(
        mailbox.adapter.saveDraft(composed('stale', 'Three.'), first.draft, writeCallFor()),
        stale,
      )
      await assert.rejects(mailbox.adapter.discardDraft(first.draft, writeCallFor()), stale)
      assert.equal(await mailbox.snapshot(), before)
    })

    test('what is discarded is gone, and nothing but a draft can be', async () => {
      const { draft } = await save(composed('gone', 'Away.'))
      assert.equal((await mailbox.adapter.discardDraft(draft, writeCallFor())).status, 'done')
      assert.ok(!(await listed()).includes('Draft gone'))
      await seed(mailbox, 'INBOX', [plain({ key: 'letter' })])
      const page = await mailbox.adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1), callFor())
      const ref = page.messages[0]?.message.ref ?? assert.fail('no letter')
      await assert.rejects(mailbox.adapter.discardDraft({ ref }, writeCallFor()), faultOf('draft_stale'))
      await assert.rejects(
        mailbox.adapter.saveDraft(composed('over', 'A letter.'), { ref }, writeCallFor()),
        faultOf('draft_stale'),
      )
      const still = await mailbox.adapter.listMessages('INBOX', { isUnreadOnly: false }, pageOf(1), callFor())
      assert.equal(still.total, page.total)
    })

    test('stopped before its point of no return, a draft is neither written nor removed', async () => {
      const { draft } = await save(composed('kept', 'Kept.'))
      const before = await mailbox.snapshot()
      const stopped = faultOf('operation_in_progress')
      const stop = writeCallFor('change')
      await assert.rejects(mailbox.adapter.saveDraft(composed('kept', 'New.'), draft, stop), stopped)
      await assert.rejects(mailbox.adapter.saveDraft(composed('never', 'New.'), null, stop), stopped)
      await assert.rejects(mailbox.adapter.discardDraft(draft, stop), stopped)
      assert.equal(await mailbox.snapshot(), before)
    })

    test('pages of drafts begin with the newest', async () => {
      for (const id of ['p1', 'p2', 'p3']) await save(composed(id, id))
      const page = async (offset: number): Promise<readonly (string | undefined)[]> => {
        const { drafts, hasMore } = await mailbox.adapter.listDrafts(pageOf(2, offset), callFor())
        assert.equal(hasMore, true)
        return drafts.map(({ message }) => findHeader(message.headers, 'Subject')?.trim())
      }
      assert.deepEqual(await page(0), ['Draft p3', 'Draft p2'])
      assert.equal((await page(2))[0], 'Draft p1')
    })
  })
}
