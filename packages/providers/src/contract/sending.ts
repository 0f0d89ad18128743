import {
  listRawFields,
  type ComposedMessage,
  type DraftRef,
  type FolderId,
  type MessageRef,
  type SendReceipt,
} from '@postern/mail'
import type { WriteStage } from '@postern/core'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { compose, type Letter } from './compose.ts'
import { callFor, drain, faultOf, folderWithRole, writeCallFor } from './mailbox.ts'
import { arrived, sendProbe } from './post.ts'
import type { MakeSendingMailbox, SendingMailbox } from './sending-mailbox.ts'

/** What is sent reaches whom it was meant for, once, as it was written, and the sender keeps a copy. */
export function describeSending(make: MakeSendingMailbox): void {
  describe('sending', () => {
    let mailbox: SendingMailbox
    let sent: FolderId = ''

    before(async () => {
      mailbox = await make()
      sent = await folderWithRole(mailbox, 'sent', 'Sent')
      await folderWithRole(mailbox, 'drafts', 'Drafts')
    })
    after(() => mailbox.close())

    const letter = (key: string, more: Omit<Letter, 'key'> = {}): ComposedMessage =>
      compose({ key, from: mailbox.ownAddress, to: [mailbox.post.other.address], ...more })
    const send = (message: ComposedMessage, call = writeCallFor()): Promise<SendReceipt> =>
      mailbox.adapter.sendMessage(message, call)
    const saveDraft = async (message: ComposedMessage): Promise<DraftRef> => {
      const outcome = await mailbox.adapter.saveDraft(message, null, writeCallFor())
      return outcome.status === 'done' ? outcome.saved.draft : assert.fail(outcome.fault)
    }
    const isThere = async (ref: MessageRef): Promise<boolean> =>
      (await mailbox.adapter.getMessages([ref], callFor()))[0]?.isFound === true
    const original = async (
      from: Pick<SendingMailbox['adapter'], 'openPart'>,
      ref: MessageRef,
    ): Promise<Buffer> => drain((await from.openPart(ref, 'original', callFor())).octets)
    const countSent = async (key: string): Promise<number> => {
      const query = {
        criterion: { kind: 'header', name: 'message-id', value: `<${key}@contract.example>` },
        folderIds: [sent],
      } as const
      return (await mailbox.adapter.countMessages(query, callFor())).count
    }

    test('check 128: a message arrives once, its body octet for octet, at whom the envelope names', async () => {
      const body = 'Line one.\n.\n..\n.dot\nFrom here on.\n\nLast.'
      const message = letter('arrives', { body })
      const receipt = await send(message)
      assert.ok(receipt.outcome === 'sent')
      assert.deepEqual(
        receipt.recipients.map(({ email, status }) => [email, status]),
        [[mailbox.post.other.address, 'accepted']],
      )
      assert.equal(receipt.draft, null)
      const [row, ...more] = await arrived(mailbox.post, 'arrives')
      assert.deepEqual(more, [])
      const octets = await original(
        mailbox.post.other.adapter,
        row?.message.ref ?? assert.fail('nothing came'),
      )
      assert.equal(bodyOf(octets), bodyOf(Buffer.from(message.octets)))
    })

    test('check 129: Bcc is not on the wire, whoever is blind receives it, and the sender\u2019s copy keeps the field', async () => {
      const { address } = mailbox.post.other
      const message = letter('blind', { blind: [address] })
      const receipt = await send(message)
      assert.ok(receipt.outcome === 'sent')
      const [row] = await arrived(mailbox.post, 'blind')
      const octets = await original(
        mailbox.post.other.adapter,
        row?.message.ref ?? assert.fail('nothing came'),
      )
      const { fields } = listRawFields(octets)
      assert.ok(!fields.some(({ name }) => name === 'bcc'))
      assert.deepEqual([receipt.sentCopy.status, receipt.sentCopy.folderId], ['saved', sent])
      const kept = await original(mailbox.adapter, receipt.sentCopy.ref ?? assert.fail('no copy'))
      assert.deepEqual(kept, Buffer.from(message.octets))
    })

    test('the sender\u2019s copy is read, and there is one', async () => {
      const receipt = await send(letter('copy'))
      assert.ok(receipt.outcome === 'sent')
      const ref = receipt.sentCopy.ref ?? assert.fail('no copy')
      const [found] = await mailbox.adapter.getMessages([ref], callFor())
      assert.ok(found?.isFound)
      assert.deepEqual([found.value.folderId, found.value.flags.seen], [sent, true])
      assert.equal(await countSent('copy'), 1)
    })

    test('the steps are entered one after the other, each before it begins', async () => {
      const stages: WriteStage[] = []
      const call = { ...writeCallFor(), enter: async (stage: WriteStage) => void stages.push(stage) }
      await send(letter('steps'), call)
      assert.deepEqual(stages, ['connect', 'envelope', 'data', 'sent_copy'])
    })

    test('stopped before the message leaves, nothing of it arrives and nothing is kept', async () => {
      const before = await mailbox.snapshot()
      for (const stage of ['connect', 'envelope', 'data'] as const)
        await assert.rejects(
          send(letter(`stopped-${stage}`), writeCallFor(stage)),
          faultOf('operation_in_progress'),
        )
      const over = new AbortController()
      over.abort(new RangeError('gone'))
      await assert.rejects(
        send(letter('stopped-over'), writeCallFor(null, callFor(60, over.signal))),
        RangeError,
      )
      await assert.rejects(send(letter('stopped-late'), writeCallFor(null, callFor(-1))), faultOf('timeout'))
      assert.equal(await mailbox.snapshot(), before)
      await sendProbe(mailbox, 'probe-stopped')
      for (const name of ['connect', 'envelope', 'data', 'over', 'late'])
        assert.deepEqual(await arrived(mailbox.post, `stopped-${name}`, 'now'), [], name)
    })

    test('stopped after the message has left, it was sent all the same, and the copy that lacks is told', async () => {
      const receipt = await send(letter('late'), writeCallFor('sent_copy'))
      assert.ok(receipt.outcome === 'sent')
      assert.equal(receipt.sentCopy.status, 'failed')
      assert.equal((await arrived(mailbox.post, 'late')).length, 1)
      assert.equal(await countSent('late'), 0)
    })

    test('a failure of another kind than ours, after the message has left, fails nothing either', async () => {
      const enter = async (stage: WriteStage): Promise<void> => {
        if (stage === 'sent_copy') throw new RangeError('the ledger is out of reach')
      }
      const receipt = await send(letter('unwritten'), { ...writeCallFor(), enter })
      assert.ok(receipt.outcome === 'sent')
      assert.equal(receipt.sentCopy.status, 'failed')
    })

    test('check 140: one of two recipients refused, the other has the message, and each is told', async () => {
      const { other, refusedAddress } = mailbox.post
      const receipt = await send(letter('half', { to: [refusedAddress, other.address] }))
      assert.ok(receipt.outcome === 'sent')
      assert.deepEqual(
        receipt.recipients.map(({ email, status }) => [email, status]),
        [
          [refusedAddress, 'rejected'],
          [other.address, 'accepted'],
        ],
      )
      assert.ok((receipt.recipients[0]?.smtpCode ?? 0) >= 500)
      assert.equal((await arrived(mailbox.post, 'half')).length, 1)
      assert.equal(receipt.sentCopy.status, 'saved')
    })

    test('with every recipient refused nothing is sent, and nothing is kept', async () => {
      const before = await mailbox.snapshot()
      const receipt = await send(letter('nobody', { to: [mailbox.post.refusedAddress] }))
      assert.ok(receipt.outcome === 'refused')
      assert.equal(receipt.fault.code, 'send_refused')
      assert.deepEqual(
        receipt.recipients.map(({ status }) => status),
        ['rejected'],
      )
      assert.equal(await mailbox.snapshot(), before)
    })

    test('check 154: a draft is sent as it was frozen, and is no draft any more', async () => {
      const message = letter('drafted', { body: 'As it was written.' })
      const draft = await saveDraft(message)
      const receipt = await mailbox.adapter.sendDraft(draft, message, writeCallFor())
      assert.ok(receipt.outcome === 'sent')
      assert.equal(receipt.draft, 'removed')
      const [row] = await arrived(mailbox.post, 'drafted')
      const octets = await original(
        mailbox.post.other.adapter,
        row?.message.ref ?? assert.fail('nothing came'),
      )
      assert.equal(bodyOf(octets), bodyOf(Buffer.from(message.octets)))
      await assert.rejects(mailbox.adapter.discardDraft(draft, writeCallFor()), faultOf('draft_stale'))
      assert.equal(await countSent('drafted'), 1)
    })

    test('check 152: a stale draft is not sent, and neither is a message that is no draft', async () => {
      const message = letter('stale', { body: 'One.' })
      const draft = await saveDraft(message)
      await mailbox.adapter.discardDraft(draft, writeCallFor())
      const before = await mailbox.snapshot()
      await assert.rejects(mailbox.adapter.sendDraft(draft, message, writeCallFor()), faultOf('draft_stale'))
      const { messages } = await mailbox.adapter.listMessages(
        sent,
        { isUnreadOnly: false },
        { limit: 1, offset: 0, after: null },
        callFor(),
      )
      const ref = messages[0]?.message.ref ?? assert.fail('nothing was sent before')
      await assert.rejects(
        mailbox.adapter.sendDraft({ ref }, message, writeCallFor()),
        faultOf('draft_stale'),
      )
      assert.equal(await mailbox.snapshot(), before)
      await sendProbe(mailbox, 'probe-stale')
      assert.deepEqual(await arrived(mailbox.post, 'stale', 'now'), [])
    })

    test('a draft that is stopped on its way stays: before it leaves as it was, afterwards beside the copy, and told', async () => {
      const message = letter('halted')
      const draft = await saveDraft(message)
      await assert.rejects(
        mailbox.adapter.sendDraft(draft, message, writeCallFor('data')),
        faultOf('operation_in_progress'),
      )
      assert.ok(await isThere(draft.ref))
      const receipt = await mailbox.adapter.sendDraft(draft, message, writeCallFor('draft_removal'))
      assert.ok(receipt.outcome === 'sent')
      assert.deepEqual([receipt.draft, receipt.sentCopy.status], ['left', 'saved'])
      assert.equal((await arrived(mailbox.post, 'halted')).length, 1)
      assert.equal((await mailbox.adapter.discardDraft(draft, writeCallFor())).status, 'done')
    })

    test('who writes to himself has both, the message and the copy', async () => {
      const message = letter('self', { to: [mailbox.ownAddress] })
      const receipt = await send(message)
      assert.ok(receipt.outcome === 'sent')
      const own = { ...mailbox.post, other: { address: mailbox.ownAddress, adapter: mailbox.adapter } }
      assert.equal((await arrived(own, 'self')).length, 1)
      assert.equal(await countSent('self'), 1)
    })
  })
}

/** Everything behind the header, as text of one character an octet. */
function bodyOf(octets: Buffer): string {
  return octets.subarray(listRawFields(octets).bodyStart).toString('latin1')
}
