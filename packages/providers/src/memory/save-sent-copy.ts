import { Fault } from '@postern/core'
import type { ComposedMessage, SentCopy, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { enterAfterwards } from '../enter-afterwards.ts'
import type { MemorySession } from './session.ts'

/** The sender's copy, with Bcc, in the folder with the role sent. The message was sent, so this throws nothing. */
export async function saveSentCopy(
  { mailbox, faults }: MemorySession,
  { octets }: ComposedMessage,
  call: WriteCall,
): Promise<SentCopy> {
  const folder = mailbox.folders().find(({ role }) => role === 'sent')
  if (folder === undefined) return { status: 'failed', folderId: null, ref: null }
  const { folderId } = folder
  const ref = await attempt(
    async () => {
      await enterAfterwards(call, 'sent_copy')
      if (faults.submission?.sentCopy !== undefined) throw faults.submission.sentCopy
      return mailbox.append(folderId, { raw: octets, receivedAt: new Date(), flags: { seen: true } })
    },
    { ...call, signal: new AbortController().signal },
    () => true,
  )
  return ref instanceof Fault ? { status: 'failed', folderId, ref: null } : { status: 'saved', folderId, ref }
}
