import { Fault } from '@postern/core'
import type { ComposedMessage, SentCopy, WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { afterSending } from './after-sending.ts'
import { appendMessage } from './append-message.ts'
import { listFolders } from './list-folders.ts'
import { packLocator } from './locator.ts'
import type { ImapSession } from './session.ts'

/**
 * The sender's copy, with Bcc, in the folder with the role sent; none where the service keeps one by itself. The
 * message was sent, so this throws nothing.
 */
export async function saveSentCopy(
  session: ImapSession,
  { octets, rfcMessageId }: ComposedMessage,
  call: WriteCall,
): Promise<SentCopy> {
  if (session.submission?.savesSentCopy === true)
    return { status: 'provider_saved', folderId: null, ref: null }
  const after = afterSending(call, 'sent_copy')
  let folderId: string | null = null
  const stored = await attempt(
    async () => {
      const sent = (await listFolders(session, 'known', after)).find(({ role }) => role === 'sent')
      if (sent === undefined) return null
      folderId = sent.folderId
      return {
        place: await appendMessage(session, { folderId, octets, flags: ['\\Seen'], rfcMessageId }, after),
      }
    },
    after,
    () => true,
  )
  if (stored === null || stored instanceof Fault) return { status: 'failed', folderId, ref: null }
  const { place } = stored
  if (place === null) return { status: 'saved', folderId, ref: null }
  if ('fault' in place) return { status: place.status, folderId, ref: null }
  return { status: 'saved', folderId, ref: { locator: packLocator(place) } }
}
