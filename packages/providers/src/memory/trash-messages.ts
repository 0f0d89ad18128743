import { Fault } from '@postern/core'
import type { ItemOutcome, MessageRef, WriteCall } from '@postern/mail'
import { actOnMessages } from './act-on-messages.ts'
import type { MemorySession } from './session.ts'

export async function trashMessages(
  session: MemorySession,
  refs: readonly MessageRef[],
  call: WriteCall,
): Promise<readonly ItemOutcome[]> {
  const trash = session.mailbox.folders().find(({ role }) => role === 'trash')
  if (trash === undefined) {
    throw new Fault('folder_role_missing', {
      public: 'This mailbox has no folder with the role trash, so nothing was deleted.',
      details: { role: 'trash' },
    })
  }
  return actOnMessages(session, { verb: 'trashMessages', refs }, call, ({ folder }, ref) =>
    folder.folderId === trash.folderId ? 'unchanged' : session.mailbox.move(ref, trash.folderId),
  )
}
