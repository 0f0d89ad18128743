import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { listFolders } from './list-folders.ts'
import { moveMessages } from './move-messages.ts'
import type { ImapSession } from './session.ts'

/** Moves messages to the folder with the role trash; what is there already is unchanged. @throws folder_role_missing. */
export async function trashMessages(
  session: ImapSession,
  refs: readonly MessageRef[],
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  const trash = (await listFolders(session, 'known', call)).find(({ role }) => role === 'trash')
  if (trash === undefined) {
    throw new Fault('folder_role_missing', {
      public:
        'This mailbox has no folder with the role trash, so nothing was deleted. Its owner can name one; permanent deletes for ever.',
      details: { role: 'trash' },
    })
  }
  return moveMessages(session, refs, { folderId: trash.folderId, mayDiscard: true }, call)
}
