import { Fault } from '@postern/core'
import type { ComposedMessage, DraftRef, MailAdapter, WriteCall } from '@postern/mail'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compose } from '../contract/compose.ts'
import { callFor, faultOf, pageOf, writeCallFor } from '../contract/mailbox.ts'
import { plain } from '../contract/messages.ts'
import {
  createMemoryAdapter,
  createMemoryMailbox,
  createMemoryPost,
  type MemoryFaults,
  type MemoryMailbox,
} from './index.ts'

const ownAddress = 'owner@contract.example'

interface Bench {
  readonly mailbox: MemoryMailbox
  readonly adapter: MailAdapter
}

function bench(faults: MemoryFaults = {}): Bench {
  const mailbox = createMemoryMailbox([
    { path: 'Sent', role: 'sent' },
    { path: 'Drafts', role: 'drafts' },
    { path: 'Work' },
  ])
  return { mailbox, adapter: createMemoryAdapter(mailbox, { ownAddresses: [ownAddress], faults }) }
}

const countIn = ({ mailbox }: Bench, folderId: string): number =>
  mailbox.findFolder(folderId)?.messages.length ?? assert.fail('no such folder')

async function saved({ adapter }: Bench, message: ComposedMessage): Promise<DraftRef> {
  const outcome = await adapter.saveDraft(message, null, writeCallFor())
  return outcome.status === 'done' ? outcome.saved.draft : assert.fail(outcome.fault)
}

/** A call during whose step something else happens first. */
const meanwhile = (happens: () => unknown): WriteCall => ({
  ...writeCallFor(),
  enter: async () => void happens(),
})

test('a draft that is discarded while another call may go on is stale for it, and its twin is not touched', async () => {
  const at = bench()
  const twin = await saved(at, compose({ key: 'twin' }))
  const acts = [
    (draft: DraftRef, call: WriteCall) => at.adapter.discardDraft(draft, call),
    (draft: DraftRef, call: WriteCall) => at.adapter.saveDraft(compose({ key: 'new' }), draft, call),
  ]
  for (const act of acts) {
    const draft = await saved(at, compose({ key: 'twin' }))
    const late = meanwhile(() => at.mailbox.remove(draft.ref))
    await assert.rejects(act(draft, late), faultOf('draft_stale'))
  }
  const { drafts } = await at.adapter.listDrafts(pageOf(5), callFor())
  assert.deepEqual(
    drafts.map(({ draft: { ref } }) => ref),
    [twin.ref],
  )
})

test('mail that comes into a folder while its deletion may go on keeps it', async () => {
  const at = bench()
  const late = meanwhile(() => at.mailbox.append('Work', plain({ key: 'late' })))
  await assert.rejects(
    at.adapter.deleteFolder({ folderId: 'Work', mayDiscard: false }, late),
    faultOf('insufficient_scope'),
  )
  assert.equal(countIn(at, 'Work'), 1)
})

test('an old id and a new one that mean one message act on it once, and a copy that lies behind it stays', async () => {
  const at = bench()
  const old = at.mailbox.append('INBOX', plain({ key: 'one' }))
  const now = at.mailbox.move(old, 'Work')
  at.mailbox.copy(now, at.mailbox.addFolder({ path: 'Behind' }))
  const further = { folderId: at.mailbox.addFolder({ path: 'Further' }), mayDiscard: false }
  const outcomes = await at.adapter.moveMessages([old, now], further, writeCallFor())
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['done', 'done'],
  )
  assert.deepEqual([countIn(at, 'Work'), countIn(at, 'Behind')], [0, 1])
  const deleted = await at.adapter.deleteMessages([old, now], writeCallFor())
  assert.ok(deleted.every(({ status }) => status === 'failed'))
  assert.deepEqual([countIn(at, 'Further'), countIn(at, 'Behind')], [1, 1])
})

test('labels compare without regard to case', async () => {
  const at = bench()
  const ref = at.mailbox.append('INBOX', plain({ key: 'labelled', keywords: ['Project'] }))
  const label = (add: readonly string[], remove: readonly string[]): Promise<readonly string[]> =>
    at.adapter
      .setMarks([ref], { kind: 'labels', add, remove }, writeCallFor())
      .then((outcomes) => outcomes.map(({ status }) => status))
  assert.deepEqual(await label(['PROJECT'], []), ['unchanged'])
  assert.deepEqual(await label(['Other', 'other'], ['project']), ['done'])
  assert.deepEqual(at.mailbox.locate(ref).message.keywords, ['other'])
})

test('what goes to an address that nobody has is accepted, and reaches nobody', async () => {
  const at = bench()
  const receipt = await at.adapter.sendMessage(compose({ key: 'far', from: ownAddress }), writeCallFor())
  assert.ok(receipt.outcome === 'sent')
  assert.deepEqual(receipt.recipients, [
    { email: 'amy@contract.example', status: 'accepted', smtpCode: 250, enhancedCode: null },
  ])
  assert.deepEqual([countIn(at, 'INBOX'), countIn(at, 'Sent')], [0, 1])
})

test('without a post a mailbox reaches its own addresses, in any case', async () => {
  const at = bench()
  await at.adapter.sendMessage(compose({ key: 'self', to: [ownAddress.toUpperCase()] }), writeCallFor())
  assert.equal(countIn(at, 'INBOX'), 1)
})

test('each recipient that was not refused has a copy, in the INBOX of the mailbox that is registered for the address', async () => {
  const [amy, ben, cat] = [createMemoryMailbox(), createMemoryMailbox(), createMemoryMailbox()]
  const post = createMemoryPost([['amy@contract.example', amy]])
  const refusedRecipients = new Map([['cat@contract.example', { smtpCode: 550, enhancedCode: null }]])
  const adapter = createMemoryAdapter(createMemoryMailbox(), {
    post,
    faults: { submission: { refusedRecipients } },
  })
  post.register('Ben@contract.example', ben)
  post.register('cat@contract.example', cat)
  const to = ['amy@contract.example', 'ben@contract.example', 'cat@contract.example']
  const receipt = await adapter.sendMessage(compose({ key: 'both', to }), writeCallFor())
  assert.ok(receipt.outcome === 'sent')
  // There is no folder for what was sent here.
  assert.deepEqual(receipt.sentCopy, { status: 'failed', folderId: null, ref: null })
  assert.deepEqual(
    [amy, ben, cat].map((mailbox) => mailbox.findFolder('INBOX')?.messages.length),
    [1, 1, 0],
  )
})

test('a draft that cannot be removed once it was sent is told to be left', async () => {
  const draftRemoval = new Fault('provider_unavailable', { public: 'Ordered by the test.' })
  const at = bench({ submission: { draftRemoval } })
  const message = compose({ key: 'stuck' })
  const receipt = await at.adapter.sendDraft(await saved(at, message), message, writeCallFor())
  assert.ok(receipt.outcome === 'sent')
  assert.deepEqual([receipt.draft, receipt.sentCopy.status], ['left', 'saved'])
  assert.equal(countIn(at, 'Drafts'), 1)
})

test('a draft that was changed while it was sent stays: it is another', async () => {
  const at = bench()
  const message = compose({ key: 'edited' })
  const draft = await saved(at, message)
  const call: WriteCall = {
    ...writeCallFor(),
    enter: async (stage) => {
      if (stage === 'sent_copy')
        await at.adapter.saveDraft(compose({ key: 'edited', body: 'More.' }), draft, writeCallFor())
    },
  }
  const receipt = await at.adapter.sendDraft(draft, message, call)
  assert.ok(receipt.outcome === 'sent')
  assert.equal(receipt.draft, 'removed')
  // The sender's copy has the octets that the draft had.
  assert.deepEqual([countIn(at, 'Drafts'), countIn(at, 'Sent')], [1, 1])
})
