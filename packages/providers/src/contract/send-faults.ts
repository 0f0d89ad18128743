import type { ComposedMessage, DraftRef, SendReceipt } from '@postern/mail'
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { compose } from './compose.ts'
import { folderWithRole, writeCallFor } from './mailbox.ts'
import { arrived, sendProbe } from './post.ts'
import type { Disturbance, MakeSendingMailbox, SendingMailbox } from './sending-mailbox.ts'

/** When the way out fails, the receipt says just what is known of the message, and the draft of it is not lost. */
export function describeSendFaults(make: MakeSendingMailbox): void {
  describe('sending over a way that fails', () => {
    let mailbox: SendingMailbox

    before(async () => {
      mailbox = await make()
      await folderWithRole(mailbox, 'sent', 'Sent')
      await folderWithRole(mailbox, 'drafts', 'Drafts')
    })
    afterEach(() => mailbox.post.disturb(null))
    after(() => mailbox.close())

    const letter = (key: string): ComposedMessage =>
      compose({ key, from: mailbox.ownAddress, to: [mailbox.post.other.address] })
    const send = async (key: string, what: Disturbance): Promise<SendReceipt> => {
      await mailbox.post.disturb(what)
      return mailbox.adapter.sendMessage(letter(key), writeCallFor())
    }
    const sendDraft = async (key: string, what: Disturbance): Promise<[SendReceipt, DraftRef]> => {
      const message = letter(key)
      const outcome = await mailbox.adapter.saveDraft(message, null, writeCallFor())
      assert.ok(outcome.status === 'done')
      const { draft } = outcome.saved
      await mailbox.post.disturb(what)
      return [await mailbox.adapter.sendDraft(draft, message, writeCallFor()), draft]
    }
    const statusesOf = ({ recipients }: SendReceipt): readonly string[] =>
      recipients.map(({ status }) => status)
    /** How often it arrived, once everything that was sent has. */
    const countArrived = async (key: string): Promise<number> => {
      await mailbox.post.disturb(null)
      await sendProbe(mailbox, `probe-${key}`)
      return (await arrived(mailbox.post, key, 'now')).length
    }

    test('a server that is not reached has nothing, and its recipients were not spoken of', async () => {
      const before = await mailbox.snapshot()
      const receipt = await send('unreached', 'no_connection')
      assert.ok(receipt.outcome === 'failed')
      assert.equal(receipt.fault.code, 'provider_unavailable')
      assert.deepEqual(receipt.recipients, [])
      assert.equal(await mailbox.snapshot(), before)
      assert.equal(await countArrived('unreached'), 0)
    })

    test('a message that is refused as a whole was not sent, and its draft stays', async () => {
      const [receipt, draft] = await sendDraft('unwanted', 'message_refused')
      assert.ok(receipt.outcome === 'refused')
      assert.equal(receipt.fault.code, 'send_refused')
      assert.deepEqual(statusesOf(receipt), ['rejected'])
      assert.ok((receipt.recipients[0]?.smtpCode ?? 0) >= 500)
      assert.equal(await countArrived('unwanted'), 0)
      assert.equal((await mailbox.adapter.discardDraft(draft, writeCallFor())).status, 'done')
    })

    for (const [what, copies] of [
      ['answer_lost_delivered', 1],
      ['answer_lost_undelivered', 0],
    ] as const) {
      test(`checks 139 and 155: without its last answer nobody knows, nobody repeats it, and the draft stays (${what})`, async () => {
        const key = what.replaceAll('_', '-')
        const [receipt, draft] = await sendDraft(key, what)
        assert.ok(receipt.outcome === 'unknown')
        assert.deepEqual(statusesOf(receipt), ['unknown'])
        assert.equal(receipt.recipients[0]?.smtpCode, null)
        assert.equal(await countArrived(key), copies)
        assert.equal((await mailbox.adapter.discardDraft(draft, writeCallFor())).status, 'done')
      })
    }

    test('check 141: without the sender\u2019s copy the message was sent all the same, and its draft is gone', async () => {
      const [receipt] = await sendDraft('uncopied', 'copy_refused')
      assert.ok(receipt.outcome === 'sent')
      assert.deepEqual(
        [receipt.sentCopy.status, receipt.sentCopy.ref, receipt.draft],
        ['failed', null, 'removed'],
      )
      assert.equal(await countArrived('uncopied'), 1)
    })
  })
}
