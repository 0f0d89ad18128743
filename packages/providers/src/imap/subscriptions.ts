import type { FolderId, WriteCall } from '@postern/mail'
import { execWrite } from './exec-write.ts'
import { readListLine } from './list-mailboxes.ts'
import type { ImapConnection } from './pool.ts'
import { text } from './wire.ts'

/** Subscriptions that a renamed folder takes along. */
const maxSubscriptions = 100

/**
 * Subscribes to a folder or ends that. Many mail programs show their owner nothing else, so a folder that was made
 * here, and the mail moved into it, would be out of sight. A refusal is borne. RFC 3501 6.3.6.
 */
export async function subscribe(
  connection: ImapConnection,
  { folderId, isOn }: { readonly folderId: FolderId; readonly isOn: boolean },
  call: WriteCall,
): Promise<void> {
  const args = [text(folderId, connection.isUtf8)]
  await execWrite(connection, { command: isOn ? 'SUBSCRIBE' : 'UNSUBSCRIBE', args }, call)
}

/** Those of the subscribed folders that `isWanted`, at most 100. RFC 3501 6.3.9. @throws provider_*, timeout. */
export async function listSubscribed(
  connection: ImapConnection,
  isWanted: (folderId: FolderId) => boolean,
): Promise<readonly FolderId[]> {
  const found = new Set<FolderId>()
  await connection.run('LSUB', [text('', false), text('*', false)], {
    collect: ['LSUB'],
    onLine: (line) => {
      const folderId = readListLine(line, connection.isUtf8)?.folderId
      if (folderId !== undefined && isWanted(folderId) && found.size < maxSubscriptions) found.add(folderId)
    },
  })
  return [...found]
}
